# SPDX-License-Identifier: MIT
#
# nna-device against hostile clients, as a process.
HOSTILE_TEST := $(BUILD)/tests/test_hostile
TESTS += $(HOSTILE_TEST)

$(HOSTILE_TEST): $(BUILD)/obj/tests/hostile/test_hostile.o | $(BUILD)/bin/nna-device
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -o $@ $< -lcmocka

# The same with the sanitizers in the process; `make check` has it without them.
.PHONY: check-hostile
check-hostile:
	$(MAKE) SAN=1 build-asan/bin/nna-device build-asan/tests/test_hostile
	timeout -k 10 600 build-asan/tests/test_hostile build-asan/bin/nna-device
