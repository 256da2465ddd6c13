# SPDX-License-Identifier: MIT
#
# Real models (tests/models), the TFLite reader and pictures (tests/unit/test_tflite*, test_image*).
TESTS += $(BUILD)/tests/test_models

TOOL_TEST_OBJS := $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard tools/tflite/*.c tools/image/*.c))

$(BUILD)/tests/test_models: $(BUILD)/obj/tests/models/test_models.o $(TOOL_TEST_OBJS) $(BUILD)/lib/libnnaccel.a
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -o $@ $^ $(NNACCEL_LIBS) -lpng -ljpeg -lz -lm

TOOL_TESTS := $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(wildcard tests/unit/test_tflite*.c tests/unit/test_image*.c))
UNIT_TESTS += $(TOOL_TESTS)
$(TOOL_TESTS): $(BUILD)/tests/%: $(BUILD)/obj/tests/unit/%.o $(TOOL_TEST_OBJS) $(BUILD)/lib/libnnaccel.a
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -o $@ $^ $(NNACCEL_LIBS) -lpng -ljpeg -lz -lm -lcmocka

# make fuzz-tflite: the reader against hostile files, for FUZZ_SECONDS. Of the library only what
# checks a graph: the device has a fuzzer of its own.
FUZZ_TFLITE_OBJS := $(patsubst %.c,build-fuzz/tflite/%.o,tests/fuzz/fuzz_tflite.c \
	$(wildcard tools/tflite/*.c libnnaccel/graph/*.c libnnaccel/ops/*.c libnnaccel/compiler/*.c))

.PHONY: fuzz fuzz-tflite
fuzz: fuzz-tflite
fuzz-tflite: build-fuzz/fuzz_tflite
	@mkdir -p build-fuzz/corpus-tflite
	build-fuzz/fuzz_tflite -max_total_time=$(FUZZ_SECONDS) -timeout=20 -rss_limit_mb=4096 \
		-artifact_prefix=build-fuzz/ build-fuzz/corpus-tflite

$(FUZZ_TFLITE_OBJS): build-fuzz/tflite/%.o: %.c
	@mkdir -p $(@D)
	clang $(CPPFLAGS) -Ilibnnaccel -O1 -g -std=c11 $(WARN) -pthread $(FUZZ_FLAGS) -c -o $@ $<

build-fuzz/fuzz_tflite: $(FUZZ_TFLITE_OBJS)
	clang -pthread $(FUZZ_FLAGS) -fsanitize=fuzzer -o $@ $^ -lm
