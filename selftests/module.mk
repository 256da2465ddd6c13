# SPDX-License-Identifier: MIT
#
# Programs that test nna.ko in a guest: selftests/run runs them there. `make selftests` builds them
# and `make check-kernel` runs them in a VM.

SELFTEST_CFLAGS := $(shell pkg-config --cflags libdrm 2>/dev/null)
SELFTEST_LIBS := $(shell pkg-config --libs libdrm 2>/dev/null || echo -ldrm)
SELFTESTS := $(patsubst selftests/%.c,$(BUILD)/selftests/%,$(filter-out selftests/nna_test.c,$(wildcard selftests/nna_*.c)))
TESTS += $(SELFTESTS)

$(BUILD)/obj/selftests/%.o: CPPFLAGS += -Iselftests $(SELFTEST_CFLAGS)

# The examples in the interface's documentation, as functions.
$(BUILD)/obj/selftests/nna_examples.h: uapi/drm/nna_accel.h selftests/examples.awk
	$(call say,GEN)
	@mkdir -p $(@D)
	$(Q)awk -f selftests/examples.awk $< >$@

$(BUILD)/obj/selftests/nna_uapi_test.o: $(BUILD)/obj/selftests/nna_examples.h
$(BUILD)/obj/selftests/nna_uapi_test.o: CPPFLAGS += -I$(BUILD)/obj/selftests

$(SELFTESTS): $(BUILD)/selftests/%: $(BUILD)/obj/selftests/%.o $(BUILD)/obj/selftests/nna_test.o
	$(call say,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(SELFTEST_LIBS) -pthread

# The fuzzer of the driver, which a guest runs, too.
FUZZ_IOCTL := $(BUILD)/tests/fuzz_ioctl
TESTS += $(FUZZ_IOCTL)

$(BUILD)/obj/tests/fuzz/fuzz_ioctl.o: CPPFLAGS += $(SELFTEST_CFLAGS)

$(FUZZ_IOCTL): $(BUILD)/obj/tests/fuzz/fuzz_ioctl.o $(BUILD)/obj/selftests/nna_test.o
	$(call say,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(SELFTEST_LIBS) -pthread

#. kernel: selftests: build the kselftest programs
#. kernel: check-kernel: run them in a VM
.PHONY: selftests check-kernel
selftests: $(SELFTESTS) $(FUZZ_IOCTL)

check-kernel: kernel selftests $(BUILD)/bin/nna-device
	vm/run --timeout 600 --load vgem -- selftests/run --build $(BUILD)

# Programs that test the kernel's driver for Ethos-U: make check-ethosu-selftests runs them.
ETHOSU_SELFTESTS := $(filter-out %/ethosu_test,$(patsubst selftests/%.c,$(BUILD)/selftests/%,\
	$(wildcard selftests/ethosu/*_test.c)))
TESTS += $(ETHOSU_SELFTESTS)

$(ETHOSU_SELFTESTS): $(BUILD)/selftests/ethosu/%: $(BUILD)/obj/selftests/ethosu/%.o \
		$(BUILD)/obj/selftests/ethosu/ethosu_test.o $(BUILD)/obj/selftests/nna_test.o
	$(call say,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(SELFTEST_LIBS) -pthread
