# SPDX-License-Identifier: MIT
#
# nna-demo, and `make demo`, which gets everything, builds, boots and runs it.
DEMO_OBJS := $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard demo/*.c tools/image/*.c) \
	$(filter-out %/graph.c,$(wildcard tools/tflite/*.c tools/tflite/ops/*.c)))
PROGRAMS += $(BUILD)/bin/nna-demo

$(BUILD)/obj/demo/%.o: CPPFLAGS += $(shell pkg-config --cflags libdrm 2>/dev/null)

# The demo is a client of the NNAPI C API, like any app; out of the archive it takes the names of
# operations only.
$(BUILD)/bin/nna-demo: $(DEMO_OBJS) $(BUILD)/lib/libneuralnetworks.so $(BUILD)/lib/libnnaccel.a
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -Wl,-rpath,'$$ORIGIN/../lib' -o $@ $^ \
		$(shell pkg-config --libs libdrm 2>/dev/null || echo -ldrm) -lpng -ljpeg -lz -lm

.PHONY: demo
demo:
	demo/run
