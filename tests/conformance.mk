# SPDX-License-Identifier: MIT
#
# nnv_run, the runner of the conformance vectors.
NNV_OBJS := $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard tests/conformance/*.c))
TESTS += $(BUILD)/tests/nnv_run

# The C API is what a client has of it, the shared object; the library is linked in, and so is the
# HAL's service.
NNV_OBJS += $(HAL_SERVICE_OBJS) $(HAL_BINDER_OBJS) $(HAL_COMMON_OBJS)
NNV_LIBS = $(BUILD)/lib/libnnaccel.a -L$(BUILD)/lib -lneuralnetworks \
	-Wl,-rpath,'$$ORIGIN/../lib' $(NNACCEL_LIBS)
NNV_DEPS := $(BUILD)/lib/libnnaccel.a $(BUILD)/lib/libneuralnetworks.so

# Without a backend of binder; nnv_hal is the same program with one.
nnv_binder := $(BUILD)/obj/tests/conformance/binder
$(BUILD)/tests/nnv_run: $(NNV_OBJS) $(nnv_binder)/none.o $(NNV_DEPS)
	$(call say,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $(filter %.o,$^) $(NNV_LIBS)

$(BUILD)/tests/nnv_hal: $(NNV_OBJS) $(nnv_binder)/open.o $(HAL_GBINDER_OBJS) $(NNV_DEPS)
	$(call say,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $(filter %.o,$^) $(NNV_LIBS) $(GBINDER_LIBS)
ifneq ($(GBINDER_LIBS),)
TESTS += $(BUILD)/tests/nnv_hal
endif

# Conformance vectors with words changed: nnv_mutate DIR SEED COUNT
TESTS += $(BUILD)/tests/nnv_mutate
$(BUILD)/tests/nnv_mutate: $(BUILD)/obj/tests/conformance/mutate/main.o \
		$(filter-out %/conformance/main.o,$(NNV_OBJS)) $(nnv_binder)/none.o $(NNV_DEPS)
	$(call say,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $(filter %.o,$^) $(NNV_LIBS)
