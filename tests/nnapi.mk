# SPDX-License-Identifier: MIT
#
# Tests of what the NNAPI C API takes and refuses, against a table of their own of the operations'
# definitions (tests/nnapi/definition.h). Clients of libneuralnetworks.so.
NNAPI_SUITE := $(patsubst tests/nnapi/%.c,$(BUILD)/tests/nnapi/%, \
	$(wildcard tests/nnapi/test_*.c) tests/nnapi/agree.c)
TESTS += $(NNAPI_SUITE)

$(NNAPI_SUITE): $(BUILD)/tests/nnapi/%: $(BUILD)/obj/tests/nnapi/%.o \
		$(BUILD)/obj/tests/nnapi/definition.o $(NNAPI_LIB) $(NNACCEL_LIB)
	$(call say,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(NNACCEL_LIBS) -Wl,-rpath,$(abspath $(BUILD)/lib) -lcmocka

# Several accelerators in one process: tests/vm/many runs it in a VM.
NNAPI_MANY := $(BUILD)/tests/nnapi/many
TESTS += $(NNAPI_MANY)
$(NNAPI_MANY): $(BUILD)/obj/tests/nnapi/many.o $(NNAPI_LIB)
	$(call say,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ -Wl,-rpath,$(abspath $(BUILD)/lib)

# Random sequences of calls, by a client that knows the API alone. make fuzz-api runs them under
# sanitizers, in a build of their own: FUZZ_SAN=1 for addresses, leaks and undefined behaviour,
# FUZZ_SAN=thread for races; FUZZ_CALLS of them, or FUZZ_API_SECONDS of CPU time.
NNAPI_FUZZ := $(BUILD)/tests/nnapi/fuzz_api
TESTS += $(NNAPI_FUZZ)
$(NNAPI_FUZZ): $(BUILD)/obj/tests/nnapi/fuzz_api.o $(NNAPI_LIB)
	$(call say,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ -Wl,-rpath,$(abspath $(BUILD)/lib)

FUZZ_SAN ?= 1
FUZZ_CALLS ?= 1000000
FUZZ_API_LENGTH = $(if $(FUZZ_API_SECONDS),--seconds $(FUZZ_API_SECONDS),--calls $(FUZZ_CALLS))
FUZZ_API := build-$(if $(filter thread,$(FUZZ_SAN)),tsan,asan)
CLEAN += build-asan build-tsan
#. fuzz: fuzz-api FUZZ_SAN= FUZZ_CALLS= FUZZ_API_SECONDS=: random calls of the NNAPI under sanitizers
.PHONY: fuzz-api
fuzz-api:
	$(MAKE) SAN=$(FUZZ_SAN) BUILD=$(FUZZ_API) $(FUZZ_API)/tests/nnapi/fuzz_api
	$(FUZZ_API)/tests/nnapi/fuzz_api $(FUZZ_API_LENGTH)
