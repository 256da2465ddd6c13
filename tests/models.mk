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

# make fuzz-tflite: the reader against hostile files, for FUZZ_SECONDS.
.PHONY: fuzz-tflite
fuzz: fuzz-tflite
fuzz-tflite:
	$(MAKE) BUILD=build-fuzz CC=clang SANFLAGS="$(FUZZ_FLAGS)" build-fuzz/tests/fuzz_tflite
	@mkdir -p build-fuzz/corpus-tflite
	build-fuzz/tests/fuzz_tflite -max_total_time=$(FUZZ_SECONDS) -timeout=20 -rss_limit_mb=4096 \
		-artifact_prefix=build-fuzz/ build-fuzz/corpus-tflite

build-fuzz/tests/fuzz_tflite: build-fuzz/obj/tests/fuzz/fuzz_tflite.o \
		$(patsubst %.c,build-fuzz/obj/%.o,$(wildcard tools/tflite/*.c)) build-fuzz/lib/libnnaccel.a
	@mkdir -p $(@D)
	$(CC) -fsanitize=fuzzer $(LDFLAGS) -o $@ $^ $(NNACCEL_LIBS)
