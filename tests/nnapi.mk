# SPDX-License-Identifier: MIT
#
# Tests of what the NNAPI C API takes and refuses, against a table of their own of the operations'
# definitions (tests/nnapi/definition.h). Clients of libneuralnetworks.so.
NNAPI_SUITE := $(patsubst tests/nnapi/%.c,$(BUILD)/tests/nnapi/%, \
	$(wildcard tests/nnapi/test_*.c) tests/nnapi/agree.c)
TESTS += $(NNAPI_SUITE)

$(NNAPI_SUITE): $(BUILD)/tests/nnapi/%: $(BUILD)/obj/tests/nnapi/%.o \
		$(BUILD)/obj/tests/nnapi/definition.o $(NNAPI_LIB) $(NNACCEL_LIB)
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -o $@ $^ $(NNACCEL_LIBS) -Wl,-rpath,$(abspath $(BUILD)/lib) -lcmocka
