# SPDX-License-Identifier: MIT
#
# What a compilation out of the cache costs. The engine's bench is built with the engine.
TESTS += $(BUILD)/tests/bench_cache

$(BUILD)/tests/bench_cache: $(BUILD)/obj/tests/bench/bench_cache.o $(TFLITE_OBJS) \
		$(HAL_COMMON_OBJS) $(BUILD)/lib/libnnaccel.a
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -o $@ $^ $(NNACCEL_LIBS)
