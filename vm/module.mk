# SPDX-License-Identifier: MIT
#
# `make setup`: packages, QEMU and the stock kernel, once; see vm/README.md.

#. build: setup: packages, QEMU and a stock kernel, once (about three minutes)
.PHONY: setup
setup:
	@vm/setup
