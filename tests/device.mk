# SPDX-License-Identifier: MIT
#
# Unit tests of the device model, tests/unit/test_device_*.c, one program each.
DEVICE_TESTS := $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(wildcard tests/unit/test_device_*.c))
UNIT_TESTS += $(DEVICE_TESTS)

$(DEVICE_TESTS): $(BUILD)/tests/%: $(BUILD)/obj/tests/unit/%.o $(BUILD)/lib/libnnadev.a
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -o $@ $^ -lcmocka -lm
