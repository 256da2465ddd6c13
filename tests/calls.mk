# SPDX-License-Identifier: MIT
#
# Runs of every kind, whose system calls tests/calls/check counts.
TESTS += $(BUILD)/tests/calls
$(BUILD)/tests/calls: $(BUILD)/obj/tests/calls/main.o $(BUILD)/lib/libnnaccel.a
	$(call say,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(NNACCEL_LIBS)
