# SPDX-License-Identifier: MIT
#
# The fuzzer of the device model, and its unit tests under ThreadSanitizer.
CLEAN += build-fuzz build-tsan

# make fuzz: the model against a hostile guest, for FUZZ_SECONDS, with the corpus kept in
# build-fuzz. The engine is the one that is built anyway: what it is made of may need gcc, and it is
# under the sanitizers in `make SAN=1 unit`.
FUZZ_SECONDS ?= 60
FUZZ_FLAGS := -fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=undefined \
	-fno-omit-frame-pointer
FUZZ_OBJS := $(patsubst %.c,build-fuzz/%.o,$(DEVICE_SRCS) tests/fuzz/fuzz_device.c)

.PHONY: fuzz fuzz-device tsan-device
fuzz: fuzz-device
fuzz-device: build-fuzz/fuzz_device
	@mkdir -p build-fuzz/corpus-device
	build-fuzz/fuzz_device -max_total_time=$(FUZZ_SECONDS) -timeout=60 -max_len=4096 \
		-len_control=0 -artifact_prefix=build-fuzz/ build-fuzz/corpus-device

$(FUZZ_OBJS): build-fuzz/%.o: %.c tests/unit/device/core/device.h \
		$(wildcard device/core/*.h device/host/*.h device/include/*.h hw/gen/*.h)
	@mkdir -p $(@D)
	clang $(CPPFLAGS) -O1 -g -std=c11 $(WARN) -pthread $(FUZZ_FLAGS) -c -o $@ $<

build-fuzz/fuzz_device: $(FUZZ_OBJS) $(ENGINE_OBJS)
	clang -pthread $(FUZZ_FLAGS) -fsanitize=fuzzer -o $@ $^ -lcmocka -lm

# The model's tests under ThreadSanitizer.
tsan-device:
	$(MAKE) BUILD=build-tsan SANFLAGS=-fsanitize=thread \
		$(patsubst %.c,build-tsan/%,$(wildcard tests/unit/device/core/test_*.c))
	set -e; for t in build-tsan/tests/unit/device/core/test_*; do timeout 600 $$t; done
