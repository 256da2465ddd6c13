# SPDX-License-Identifier: MIT
#
# make fuzz-hal: the NN HAL against a hostile client, for FUZZ_SECONDS. The library below it is the
# one that is built anyway: it has fuzzers of its own.
FUZZ_HAL_OBJS := $(patsubst %.c,build-fuzz/hal/%.o,tests/fuzz/fuzz_hal.c \
	$(wildcard hal-bridge/common/*.c hal-bridge/binder/*.c hal-bridge/aidl/*.c \
	hal-bridge/aidl/gen/*.c hal-bridge/service/*.c))

.PHONY: fuzz fuzz-hal
fuzz: fuzz-hal
fuzz-hal: build-fuzz/fuzz_hal
	@mkdir -p build-fuzz/corpus-hal
	build-fuzz/fuzz_hal -max_total_time=$(FUZZ_SECONDS) -timeout=60 -max_len=512 \
		-len_control=0 -rss_limit_mb=4096 -artifact_prefix=build-fuzz/ build-fuzz/corpus-hal

$(FUZZ_HAL_OBJS): build-fuzz/hal/%.o: %.c
	@mkdir -p $(@D)
	clang $(CPPFLAGS) -O1 -g -std=c11 $(WARN) -pthread $(FUZZ_FLAGS) -MMD -MP -c -o $@ $<

build-fuzz/fuzz_hal: $(FUZZ_HAL_OBJS) $(NNACCEL_LIB)
	clang -pthread $(FUZZ_FLAGS) -fsanitize=fuzzer -o $@ $^ $(NNACCEL_LIBS) -lcmocka
