# SPDX-License-Identifier: MIT
#
# Tests of libneuralnetworks.so, through its exported functions only.
NNAPI_TESTS := $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(wildcard tests/unit/test_nnapi_*.c))
UNIT_TESTS += $(NNAPI_TESTS)

$(NNAPI_TESTS): $(BUILD)/tests/%: $(BUILD)/obj/tests/unit/%.o $(BUILD)/lib/libneuralnetworks.so
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -o $@ $< -L$(BUILD)/lib -lneuralnetworks -Wl,-rpath,'$$ORIGIN/../lib' -lcmocka
