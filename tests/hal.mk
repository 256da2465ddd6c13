# SPDX-License-Identifier: MIT
#
# make fuzz-hal: the NN HAL against a hostile client, as in tests/fuzz/module.mk. The library below
# it is the one that is built anyway: it has fuzzers of its own.
FUZZ_HAL_OBJS := $(patsubst %.c,$(FUZZ_OUT)/hal/%.o,tests/fuzz/fuzz_hal.c \
	$(wildcard hal-bridge/common/*.c hal-bridge/binder/*.c hal-bridge/aidl/*.c \
	hal-bridge/aidl/gen/*.c) $(filter-out %/main.c %/sandbox.c,$(wildcard hal-bridge/service/*.c)))

#. fuzz: fuzz-hal: the NN HAL against a hostile client
.PHONY: fuzz fuzz-hal
fuzz: fuzz-hal
fuzz-hal: $(FUZZ_OUT)/fuzz_hal
	tests/fuzz/run $< $(FUZZ_SECONDS) -timeout=1200 -max_len=512 -rss_limit_mb=4096 -print_funcs=0

# What sends counts for nothing: there is no coverage of the client and of its parcels in memory.
FUZZ_HAL_CLIENT := $(FUZZ_OUT)/hal/tests/fuzz/fuzz_hal.o $(FUZZ_OUT)/hal/hal-bridge/binder/flat.o
$(FUZZ_HAL_OBJS): FUZZ_COVERAGE = ,fuzzer-no-link
$(FUZZ_HAL_CLIENT): FUZZ_COVERAGE =
$(FUZZ_HAL_OBJS): $(FUZZ_OUT)/hal/%.o: %.c
	$(call say,CC)
	@mkdir -p $(@D)
	$(Q)$(FUZZ_CC) $(CPPFLAGS) -I$(BUILD)/gen -O1 -g -std=c11 $(WARN) -pthread \
		-fsanitize=address,undefined$(FUZZ_COVERAGE) -fno-sanitize-recover=undefined \
		-fno-omit-frame-pointer -MMD -MP -c -o $@ $<
# It includes the driver's header.
$(FUZZ_OUT)/hal/hal-bridge/service/namer.o: CPPFLAGS += $(shell pkg-config --cflags libdrm 2>/dev/null)
$(VERSION_USERS:$(BUILD)/obj/%=$(FUZZ_OUT)/hal/%): $(BUILD)/gen/nna_version.h

-include $(FUZZ_HAL_OBJS:.o=.d)

$(FUZZ_OUT)/fuzz_hal: $(FUZZ_HAL_OBJS) $(NNACCEL_LIB)
	$(call say,LD)
	$(Q)$(FUZZ_CC) -pthread $(FUZZ_FLAGS) -fsanitize=fuzzer -o $@ $^ $(NNACCEL_LIBS) -lcmocka

# The same in HIDL, with a client of its own.
FUZZ_HIDL_OBJS := $(patsubst %.c,$(FUZZ_OUT)/hal/%.o,tests/fuzz/fuzz_hidl.c \
	$(wildcard hal-bridge/hidl/*.c hal-bridge/hidl/gen/*.c hal-bridge/service/hidl/*.c))
$(FUZZ_OUT)/hal/tests/fuzz/fuzz_hidl.o: FUZZ_COVERAGE =
$(filter-out %/fuzz_hidl.o,$(FUZZ_HIDL_OBJS)): FUZZ_COVERAGE = ,fuzzer-no-link
$(FUZZ_HIDL_OBJS): $(FUZZ_OUT)/hal/%.o: %.c
	$(call say,CC)
	@mkdir -p $(@D)
	$(Q)$(FUZZ_CC) $(CPPFLAGS) -I$(BUILD)/gen -O1 -g -std=c11 $(WARN) -pthread \
		-fsanitize=address,undefined$(FUZZ_COVERAGE) -fno-sanitize-recover=undefined \
		-fno-omit-frame-pointer -MMD -MP -c -o $@ $<

-include $(FUZZ_HIDL_OBJS:.o=.d)

$(FUZZ_OUT)/fuzz_hidl: $(FUZZ_HIDL_OBJS) $(filter-out %/fuzz_hal.o,$(FUZZ_HAL_OBJS)) $(NNACCEL_LIB)
	$(call say,LD)
	$(Q)$(FUZZ_CC) -pthread $(FUZZ_FLAGS) -fsanitize=fuzzer -o $@ $^ $(NNACCEL_LIBS)

#. fuzz: fuzz-hidl: the NN HAL in HIDL against a hostile client
.PHONY: fuzz-hidl
fuzz: fuzz-hidl
fuzz-hidl: $(FUZZ_OUT)/fuzz_hidl
	tests/fuzz/run $< $(FUZZ_SECONDS) -timeout=1200 -max_len=512 -rss_limit_mb=4096 -entropic=0

# The service managers of the tests in the VM (tests/hal/check), of AIDL and of HIDL.
HAL_MANAGERS := $(BUILD)/tests/hal/manager $(BUILD)/tests/hal/hwmanager
TESTS += $(HAL_MANAGERS)
$(HAL_MANAGERS): $(BUILD)/tests/hal/%: $(BUILD)/obj/tests/hal/%.o $(BUILD)/obj/tests/hal/node.o
	$(call say,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $(filter %.o,$^)

# The HAL over binder, in the VM: what `make check` has of it, and all of it.
#. test: check-hal: the NN HAL over binder, in a VM
#. test: check-hal-long: all of its tests: hours
.PHONY: check-hal check-hal-long
check-hal:
	vm/setup
	$(MAKE) -j2 all tests kernel
	BUILD=$(BUILD) tests/check hal
check-hal-long:
	vm/setup
	$(MAKE) -j2 all tests kernel
	BUILD=$(BUILD) tests/check hal-long

# The service and its callers in several threads, under ThreadSanitizer, in a build of its own.
TSAN_HAL := $(patsubst %.c,build-tsan/%,$(wildcard tests/unit/hal-bridge/aidl/test_*.c \
	tests/unit/hal-bridge/binder/test_*.c tests/unit/hal-bridge/common/test_*.c \
	tests/unit/hal-bridge/service/test_*.c))
CLEAN += build-tsan
#. test: tsan-hal: the HAL's service under ThreadSanitizer
#. internal: tsan-hal-programs: what it runs
.PHONY: tsan-hal tsan-hal-programs
tsan-hal-programs:
	$(MAKE) SAN=thread BUILD=build-tsan $(TSAN_HAL) build-tsan/tests/nnv_run
tsan-hal: tsan-hal-programs
	set -e; for t in $(TSAN_HAL); do timeout 600 $$t; done
	set -e; for mode in async burst fenced device-memory; do \
		build-tsan/tests/nnv_run --api=aidl --jobs=4 --$$mode '--filter=add*' \
			../shared/nnapi-vectors; done

# What compares our parcels with those of hidl-gen's proxies, which tests/hal/hidl-proxies links.
TESTS += $(BUILD)/obj/tests/hal/proxies/compare.o

# The client of HIDL by AIDL's arguments.
HAL_HIDL_CLIENT := $(BUILD)/obj/tests/conformance/hidl_client.o

# Clients that die, and worse.
HAL_CRASH := $(BUILD)/tests/hal/crash
ifneq ($(GBINDER_LIBS),)
TESTS += $(HAL_CRASH)
endif
$(HAL_CRASH): $(BUILD)/obj/tests/hal/crash.o $(HAL_HIDL_CLIENT) $(HAL_GBINDER_OBJS) $(HAL_BINDER_OBJS) \
		$(NNACCEL_MESSAGE_OBJS) $(BUILD)/obj/hal-bridge/common/worker.o \
		$(BUILD)/obj/libnnaccel/support/thread.o
	$(call say,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(GBINDER_LIBS) -lcmocka

# Fenced executions behind fences of vgem.
HAL_FENCES := $(BUILD)/tests/hal/fences
ifneq ($(GBINDER_LIBS),)
TESTS += $(HAL_FENCES)
endif
$(HAL_FENCES): $(BUILD)/obj/tests/hal/fences.o $(HAL_HIDL_CLIENT) $(BUILD)/obj/demo/gate.o $(HAL_GBINDER_OBJS) \
		$(HAL_BINDER_OBJS) $(NNACCEL_MESSAGE_OBJS) \
		$(BUILD)/obj/hal-bridge/common/worker.o \
		$(BUILD)/obj/libnnaccel/support/thread.o
	$(call say,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(GBINDER_LIBS) -ldrm -lcmocka

# A greedy app beside a modest one.
HAL_FAIR := $(BUILD)/tests/hal/fair
ifneq ($(GBINDER_LIBS),)
TESTS += $(HAL_FAIR)
endif
$(HAL_FAIR): $(BUILD)/obj/tests/hal/fair.o $(HAL_HIDL_CLIENT) $(HAL_GBINDER_OBJS) $(HAL_BINDER_OBJS) \
		$(BUILD)/obj/hal-bridge/common/worker.o $(NNACCEL_LIB)
	$(call say,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(NNACCEL_LIBS) $(GBINDER_LIBS) -lcmocka

# What a call costs, to be run beside a service: tests/hal/check cost.
HAL_COST := $(BUILD)/tests/hal/cost
ifneq ($(GBINDER_LIBS),)
TESTS += $(HAL_COST)
endif
$(HAL_COST): $(BUILD)/obj/tests/hal/cost.o $(HAL_HIDL_CLIENT) $(HAL_GBINDER_OBJS) $(HAL_SERVICE_OBJS) \
		$(HAL_BINDER_OBJS) $(HAL_COMMON_OBJS) $(NNACCEL_LIB)
	$(call say,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(NNACCEL_LIBS) $(GBINDER_LIBS) -lcmocka
