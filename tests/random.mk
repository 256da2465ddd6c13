# SPDX-License-Identifier: MIT
#
# nnv_random: random graphs against an evaluator of the specification.
NNR_OBJS := $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard tests/random/*.c))
TESTS += $(BUILD)/tests/nnv_random

$(BUILD)/tests/nnv_random: $(NNR_OBJS) $(BUILD)/lib/libnnaccel.a
	$(call say,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(NNACCEL_LIBS)
