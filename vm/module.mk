# SPDX-License-Identifier: MIT
#
# `make setup`: packages, QEMU and the stock kernel, once; see vm/README.md. `make check-arm64-vm`, `check-gki` and
# `check-64k`: the driver on the kernels of arm64.

#. build: setup: packages, QEMU and a stock kernel, once (about three minutes)
.PHONY: setup
setup:
	@vm/setup

# What runs in guests of arm64 is built in $(BUILD)/arm64, in a make of its own: vm/cross.
ARM64_PROGRAMS := selftests $(BUILD)/arm64/bin/nnactl
ARM64_GUEST := $(ARM64_PROGRAMS) $(BUILD)/arm64/tests/test_models

#. kernel: check-arm64-vm: the selftests and models on kernels of arm64 that QEMU emulates: 6.12 with pages of 4 and of 16 KiB, and the newest
.PHONY: check-arm64-vm
check-arm64-vm:
	vm/setup
	for kernel in 6.12 6.12-16k newest; do vm/setup --arch arm64 --kernel $$kernel || exit; done
	vm/setup --arch arm64 --ethosu
	$(MAKE) $(BUILD)/bin/nna-device $(BUILD)/bin/nnactl $(BUILD)/tests/test_models kernel-arm64
	BUILD=$(BUILD) vm/cross $(ARM64_GUEST)
	BUILD=$(BUILD) tests/check arm64-vm

#. kernel: check-gki: the selftests on kernels as Android's GKI, with pages of 4 and of 16 KiB, and the symbols that nna.ko asks for
#. kernel: check-64k: the unit tests and selftests on a kernel of arm64 with pages of 64 KiB
.PHONY: check-gki check-64k
check-gki:
	vm/setup
	$(MAKE) $(BUILD)/bin/nna-device kernel-gki
	BUILD=$(BUILD) vm/cross $(ARM64_PROGRAMS)
	BUILD=$(BUILD) tests/check gki

check-64k:
	vm/setup
	$(MAKE) $(BUILD)/bin/nna-device kernel-64k
	BUILD=$(BUILD) vm/cross $(ARM64_PROGRAMS)
	BUILD=$(BUILD) tests/check 64k
