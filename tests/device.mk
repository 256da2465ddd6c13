# SPDX-License-Identifier: MIT
#
# The device model's unit tests under ThreadSanitizer.
CLEAN += build-tsan

.PHONY: tsan-device
tsan-device:
	$(MAKE) BUILD=build-tsan SANFLAGS=-fsanitize=thread \
		$(patsubst %.c,build-tsan/%,$(wildcard tests/unit/device/core/test_*.c))
	set -e; for t in build-tsan/tests/unit/device/core/test_*; do timeout 600 $$t; done
