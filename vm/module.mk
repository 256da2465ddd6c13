# SPDX-License-Identifier: MIT
#
# `make setup`: packages, QEMU and the stock kernel, once; see vm/README.md. `make check-arm64-vm`: the driver on the
# kernels of arm64.

#. build: setup: packages, QEMU and a stock kernel, once (about three minutes)
.PHONY: setup
setup:
	@vm/setup

# What runs in guests of arm64 is built in $(BUILD)/arm64, in a make of its own: vm/cross.
ARM64_GUEST := selftests $(BUILD)/arm64/bin/nnactl $(BUILD)/arm64/tests/test_models

#. kernel: check-arm64-vm: the selftests and models on kernels of arm64 that QEMU emulates: 6.12 with pages of 4 and of 16 KiB, and the newest
.PHONY: check-arm64-vm
check-arm64-vm:
	vm/setup
	for kernel in 6.12 6.12-16k newest; do vm/setup --arch arm64 --kernel $$kernel || exit; done
	$(MAKE) $(BUILD)/bin/nna-device $(BUILD)/tests/test_models kernel-arm64
	BUILD=$(BUILD) vm/cross $(ARM64_GUEST)
	BUILD=$(BUILD) tests/check arm64-vm
