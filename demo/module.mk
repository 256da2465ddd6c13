# SPDX-License-Identifier: MIT
#
# nna-demo, and `make demo`, which gets everything, builds, boots and runs it; with HAL=1 through
# the NN HAL, by nna-demo-hal, which hal-bridge/module.mk builds.
DEMO_OBJS := $(patsubst %.c,$(BUILD)/obj/%.o,demo/demo.c demo/face.c demo/gate.c \
	$(wildcard tools/image/*.c) \
	$(filter-out %/graph.c %/supported.c,$(wildcard frontend/tflite/*.c frontend/tflite/ops/*.c)))
DEMO_NNAPI_OBJS := $(BUILD)/obj/demo/nnapi.o $(BUILD)/obj/demo/tflite_nnapi.o
DEMO_LIBS = $(shell pkg-config --libs libdrm 2>/dev/null || echo -ldrm) -lpng -ljpeg -lz -lm
PROGRAMS += $(BUILD)/bin/nna-demo

$(BUILD)/obj/demo/%.o: CPPFLAGS += $(shell pkg-config --cflags libdrm 2>/dev/null)

# The demo is a client of the NNAPI C API, like any app; out of the archive it takes the names of
# operations only.
$(BUILD)/bin/nna-demo: $(DEMO_OBJS) $(DEMO_NNAPI_OBJS) $(BUILD)/lib/libneuralnetworks.so \
		$(BUILD)/lib/libnnaccel.a
	$(call say,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -Wl,-rpath,'$$ORIGIN/../lib' -o $@ $^ $(DEMO_LIBS)

#. build: demo HAL=1: a photo through a network on the NNA, in a VM; with HAL=1 through the NN HAL
.PHONY: demo
demo:
	demo/run $(if $(HAL),--hal)
