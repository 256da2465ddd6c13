# SPDX-License-Identifier: MIT
#
# nna-demo, and `make demo`, which gets everything, builds, boots and runs it; with HAL=1 through
# the NN HAL, by nna-demo-hal, which hal-bridge/module.mk builds; with NPU=NAME on an Ethos-U.
DEMO_OBJS := $(patsubst %.c,$(BUILD)/obj/%.o,demo/demo.c demo/face.c demo/gate.c demo/network.c \
	demo/quantise.c demo/range.c \
	$(wildcard tools/image/*.c) \
	$(filter-out %/supported.c,$(wildcard frontend/tflite/*.c frontend/tflite/ops/*.c)))
DEMO_NNAPI_OBJS := $(BUILD)/obj/demo/nnapi.o $(BUILD)/obj/demo/tflite_nnapi.o
DEMO_LIBS = $(shell pkg-config --libs libdrm 2>/dev/null || echo -ldrm) -lpng -ljpeg -lz -lm
PROGRAMS += $(BUILD)/bin/nna-demo

$(BUILD)/obj/demo/%.o: CPPFLAGS += $(shell pkg-config --cflags libdrm 2>/dev/null)

# The demo is a client of the NNAPI C API, like any app; out of the archive it takes the names of
# operations, and the loopback on which it measures ranges.
$(BUILD)/bin/nna-demo: $(DEMO_OBJS) $(DEMO_NNAPI_OBJS) $(BUILD)/lib/libneuralnetworks.so \
		$(BUILD)/lib/libnnaccel.a
	$(call say,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -Wl,-rpath,'$$ORIGIN/../lib' -o $@ $^ $(DEMO_LIBS)

#. build: demo HAL=1 NPU=ethos-u65-256: a photo through a network on the NNA, in a VM; with HAL=1 through the NN HAL, with NPU= on an Ethos-U
.PHONY: demo
demo:
	demo/run $(if $(HAL),--hal) $(if $(NPU),--npu $(NPU))
