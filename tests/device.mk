# SPDX-License-Identifier: MIT
#
# The device model's unit tests under ThreadSanitizer, and those of the transport with the toy model.
CLEAN += build-tsan
TSAN_TESTS := $(patsubst %.c,build-tsan/%,$(wildcard tests/unit/device/nna/core/test_*.c \
	tests/unit/device/toy/test_*.c tests/unit/device/transport/test_*.c))

#. test: tsan-device: the device's unit tests under ThreadSanitizer
.PHONY: tsan-device
tsan-device:
	$(MAKE) BUILD=build-tsan SANFLAGS=-fsanitize=thread $(TSAN_TESTS)
	set -e; for t in $(TSAN_TESTS); do timeout 600 $$t; done

# The engine's NEON kernels, on emulated CPUs.
#. test: check-arm64: the engine's NEON kernels on emulated CPUs
.PHONY: check-arm64
check-arm64:
	BUILD=$(BUILD) tests/arm64

# The engine's AVX-512 kernels, on an emulated CPU where this machine's has none; hours there.
#. test: check-avx512: the AVX-512 kernels, on Bochs where the CPU has none: hours
.PHONY: check-avx512
check-avx512: $(ENGINE_TESTS) $(WORK_TESTS) $(BUILD)/tests/nnv_run
	vm/setup --bochs
	BUILD=$(BUILD) tests/avx512

# Likewise its AVX-VNNI kernels.
#. test: check-avxvnni: the AVX-VNNI kernels, likewise
.PHONY: check-avxvnni
check-avxvnni: $(ENGINE_TESTS) $(WORK_TESTS) $(BUILD)/tests/nnv_run
	vm/setup --bochs
	BUILD=$(BUILD) tests/avxvnni
