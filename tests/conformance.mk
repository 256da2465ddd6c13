# SPDX-License-Identifier: MIT
#
# nnv_run, the runner of the conformance vectors, and the tests of its reader and of what it sees.
NNV_OBJS := $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard tests/conformance/*.c))
TESTS += $(BUILD)/tests/nnv_run
UNIT_TESTS += $(BUILD)/tests/test_nnv $(BUILD)/tests/test_nnv_case

# The C API is what a client has of it, the shared object; the library is linked in.
NNV_LIBS = $(BUILD)/lib/libnnaccel.a -L$(BUILD)/lib -lneuralnetworks -Wl,-rpath,'$$ORIGIN/../lib' $(NNACCEL_LIBS)
NNV_DEPS := $(BUILD)/lib/libnnaccel.a $(BUILD)/lib/libneuralnetworks.so

$(BUILD)/tests/nnv_run: $(NNV_OBJS) $(NNV_DEPS)
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -o $@ $(NNV_OBJS) $(NNV_LIBS)

$(BUILD)/tests/test_nnv: $(BUILD)/obj/tests/unit/test_nnv.o \
		$(BUILD)/obj/tests/conformance/nnv_file.o $(BUILD)/obj/tests/conformance/nnv_compare.o
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -o $@ $^ -lcmocka -lm

$(BUILD)/tests/test_nnv_case: $(BUILD)/obj/tests/unit/test_nnv_case.o $(filter-out %/nnv_run.o,$(NNV_OBJS)) \
		$(NNV_DEPS)
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -o $@ $(filter %.o,$^) $(NNV_LIBS) -lcmocka

# Conformance vectors with words changed: nnv_mutate DIR SEED COUNT
TESTS += $(BUILD)/tests/nnv_mutate
$(BUILD)/tests/nnv_mutate: $(BUILD)/obj/tests/conformance/mutate/nnv_mutate.o \
		$(filter-out %/nnv_run.o,$(NNV_OBJS)) $(NNV_DEPS)
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -o $@ $(filter %.o,$^) $(NNV_LIBS)
