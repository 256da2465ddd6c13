# SPDX-License-Identifier: MIT
#
# A second accelerator, which the library knows nothing of.
TESTS += $(BUILD)/tests/test_backend

BACKEND_OBJS := $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard tests/backend/*.c))

$(BUILD)/tests/test_backend: $(BACKEND_OBJS) $(TFLITE_OBJS) $(BUILD)/lib/libnnaccel.a
	$(call say,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(NNACCEL_LIBS)
