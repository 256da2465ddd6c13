# SPDX-License-Identifier: MIT
#
# nnv_run, the runner of the conformance vectors, and the test of its reader.
NNV_OBJS := $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard tests/conformance/*.c))
TESTS += $(BUILD)/tests/nnv_run
UNIT_TESTS += $(BUILD)/tests/test_nnv

$(BUILD)/tests/nnv_run: $(NNV_OBJS) $(BUILD)/lib/libnnaccel.a
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -o $@ $^ $(NNACCEL_LIBS)

$(BUILD)/tests/test_nnv: $(BUILD)/obj/tests/unit/test_nnv.o \
		$(BUILD)/obj/tests/conformance/nnv_file.o $(BUILD)/obj/tests/conformance/nnv_compare.o
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -o $@ $^ -lcmocka -lm

# Conformance vectors with words changed: nnv_mutate DIR SEED COUNT
TESTS += $(BUILD)/tests/nnv_mutate
$(BUILD)/tests/nnv_mutate: $(BUILD)/obj/tests/conformance/mutate/nnv_mutate.o \
		$(patsubst %,$(BUILD)/obj/tests/conformance/%.o,nnv_file nnv_case nnv_compare) \
		$(BUILD)/lib/libnnaccel.a
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -o $@ $^ $(NNACCEL_LIBS)

# The same vectors through libneuralnetworks.so
TESTS += $(BUILD)/tests/nnv_nnapi
$(BUILD)/tests/nnv_nnapi: $(BUILD)/obj/tests/conformance/nnapi/nnv_nnapi.o \
		$(patsubst %,$(BUILD)/obj/tests/conformance/%.o,nnv_file nnv_compare) \
		$(BUILD)/lib/libneuralnetworks.so
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -o $@ $(filter %.o,$^) -L$(BUILD)/lib -lneuralnetworks \
		-Wl,-rpath,'$$ORIGIN/../lib' -lm
