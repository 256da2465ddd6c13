# SPDX-License-Identifier: MIT
#
# nnactl, and what the demo and the tests share with it: pictures.
IMAGE_OBJS := $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard tools/image/*.c))
NNACTL_OBJS := $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard tools/nnactl/*.c))
IMAGE_LIBS := -lpng -ljpeg -lz -lm

PROGRAMS += $(BUILD)/bin/nnactl
VERSION_USERS += $(BUILD)/obj/tools/nnactl/nnactl.o $(BUILD)/obj/tools/nnactl/info.o

# The driver's interface, and how commands read, for core dumps.
$(BUILD)/obj/tools/nnactl/coredump.o: CPPFLAGS += $(shell pkg-config --cflags libdrm 2>/dev/null)

$(BUILD)/bin/nnactl: $(NNACTL_OBJS) $(VELA_OBJS) $(TFLITE_OBJS) $(ONNX_OBJS) $(IMAGE_OBJS) $(NNACCEL_LIB)
	$(call say,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(NNACCEL_LIBS) $(IMAGE_LIBS) -lkmod -ljansson
