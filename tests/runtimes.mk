# SPDX-License-Identifier: MIT
#
# nnaccel in runtimes that pip installs. Outside make check, as it fetches them once: about 1 GiB.
#
#. test: check-runtimes RUNTIMES=: LiteRT's compiled models and other runtimes with nnaccel in them, or the runtimes that are named
.PHONY: check-runtimes
RUNTIMES ?=
check-runtimes: all wheel-litert wheel-onnxruntime
	BUILD=$(BUILD) tests/runtimes/run $(RUNTIMES)
