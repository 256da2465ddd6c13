# SPDX-License-Identifier: MIT
#
# The Ethos-U in this process, and through the kernel's driver in a VM.
ETHOSU_RUN := $(BUILD)/tests/ethosu_run
ETHOSU_DRIVE := $(BUILD)/tests/ethosu_drive
ETHOSU_ARGUMENTS := $(BUILD)/obj/tests/ethosu/arguments.o
TESTS += $(ETHOSU_RUN) $(ETHOSU_DRIVE)
$(ETHOSU_RUN): $(BUILD)/obj/tests/ethosu/run.o $(BUILD)/obj/tests/ethosu/machine.o $(ETHOSU_ARGUMENTS) \
		$(ETHOSU_OBJS) $(ENGINE_OBJS) $(HOST_OBJS)
	$(call say,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ -lm

$(BUILD)/obj/tests/ethosu/drive.o: CPPFLAGS += $(SELFTEST_CFLAGS)
$(ETHOSU_DRIVE): $(BUILD)/obj/tests/ethosu/drive.o $(ETHOSU_ARGUMENTS)
	$(call say,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(SELFTEST_LIBS)
