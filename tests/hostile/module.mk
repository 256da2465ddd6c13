# SPDX-License-Identifier: MIT
#
# nna-device against hostile clients, as a process, and against hostile jobs of a guest.
HOSTILE_TEST := $(BUILD)/tests/test_hostile
TESTS += $(HOSTILE_TEST)

$(HOSTILE_TEST): $(BUILD)/obj/tests/hostile/test_hostile.o | $(BUILD)/bin/nna-device
	$(call say,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $< -lcmocka

# Hostile jobs, which a guest runs: vm/run -- build/tests/hostile_jobs
HOSTILE_JOBS := $(BUILD)/tests/hostile_jobs
TESTS += $(HOSTILE_JOBS)
$(BUILD)/obj/tests/hostile/hostile_jobs.o: CPPFLAGS += -Iselftests $(SELFTEST_CFLAGS)
$(HOSTILE_JOBS): $(BUILD)/obj/tests/hostile/hostile_jobs.o $(BUILD)/obj/selftests/nna_test.o
	$(call say,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(SELFTEST_LIBS) -pthread

# All of it with the sanitizers in the process; `make check` has it without them, and shorter.
#. test: check-hostile: hostile jobs of a guest
.PHONY: check-hostile
check-hostile: kernel $(HOSTILE_JOBS)
	$(MAKE) SAN=1 build-asan/bin/nna-device build-asan/tests/test_hostile
	timeout -k 10 600 build-asan/tests/test_hostile build-asan/bin/nna-device
	vm/run --timeout 600 --device build-asan/bin/nna-device --env NNA_HOSTILE_LONG=1 -- \
		$(HOSTILE_JOBS)
