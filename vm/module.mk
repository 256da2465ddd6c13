# SPDX-License-Identifier: MIT
#
# `make setup`: packages, QEMU and the stock kernel, once; see vm/README.md.

.PHONY: setup
setup:
	@vm/setup
