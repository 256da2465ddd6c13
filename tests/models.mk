# SPDX-License-Identifier: MIT
#
# Real models (tests/models), and the fuzzer of the TFLite reader.
TESTS += $(BUILD)/tests/test_models

$(BUILD)/tests/test_models: $(BUILD)/obj/tests/models/test_models.o $(TFLITE_OBJS) $(IMAGE_OBJS) \
		$(BUILD)/lib/libnnaccel.a
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -o $@ $^ $(NNACCEL_LIBS) $(IMAGE_LIBS)

# make fuzz-tflite: the reader against hostile files, for FUZZ_SECONDS. Of the library only what
# checks a graph: the device has a fuzzer of its own.
FUZZ_TFLITE_OBJS := $(patsubst %.c,build-fuzz/tflite/%.o,tests/fuzz/fuzz_tflite.c \
	$(wildcard tools/tflite/*.c tools/tflite/ops/*.c) \
	$(wildcard libnnaccel/*.c libnnaccel/graph/*.c libnnaccel/ir/*.c libnnaccel/ops/*.c))

.PHONY: fuzz fuzz-tflite
fuzz: fuzz-tflite
fuzz-tflite: build-fuzz/fuzz_tflite
	@mkdir -p build-fuzz/corpus-tflite
	build-fuzz/fuzz_tflite -max_total_time=$(FUZZ_SECONDS) -timeout=20 -rss_limit_mb=4096 \
		-artifact_prefix=build-fuzz/ build-fuzz/corpus-tflite

$(FUZZ_TFLITE_OBJS): build-fuzz/tflite/%.o: %.c
	@mkdir -p $(@D)
	clang $(CPPFLAGS) -O1 -g -std=c11 $(WARN) -pthread $(FUZZ_FLAGS) -c -o $@ $<

build-fuzz/fuzz_tflite: $(FUZZ_TFLITE_OBJS)
	clang -pthread $(FUZZ_FLAGS) -fsanitize=fuzzer -o $@ $^ -lm
