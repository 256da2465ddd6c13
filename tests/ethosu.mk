# SPDX-License-Identifier: MIT
#
# The Ethos-U in this process.
ETHOSU_RUN := $(BUILD)/tests/ethosu_run
TESTS += $(ETHOSU_RUN)
$(ETHOSU_RUN): $(BUILD)/obj/tests/ethosu/run.o $(BUILD)/obj/tests/ethosu/machine.o $(ETHOSU_OBJS) \
		$(ENGINE_OBJS) $(HOST_OBJS)
	$(call say,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ -lm
