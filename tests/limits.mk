# SPDX-License-Identifier: MIT
#
# Runs that take longer than the job limit.
TESTS += $(BUILD)/tests/limits
$(BUILD)/tests/limits: $(BUILD)/obj/tests/limits/main.o $(BUILD)/lib/libnnaccel.a
	$(call say,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(NNACCEL_LIBS)
