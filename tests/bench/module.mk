# SPDX-License-Identifier: MIT
#
# What a compilation out of the cache costs, and peers. The engine's bench is built with the engine.
TESTS += $(BUILD)/tests/bench_cache

$(BUILD)/tests/bench_cache: $(BUILD)/obj/tests/bench/bench_cache.o $(TFLITE_OBJS) \
		$(HAL_COMMON_OBJS) $(BUILD)/lib/libnnaccel.a
	$(call say,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(NNACCEL_LIBS)

# Against LiteRT, ONNX Runtime and OpenVINO. The peers are in a venv of their own; tf2onnx and the
# networks of random weights also need TensorFlow, which is in that of check-clients, and those of
# today the converters of check-models-today. Without BENCH_MODELS: ../shared/models, those networks,
# and the demo's face detector.
BENCH_MODELS ?= $(wildcard ../shared/models/*.tflite) $(BUILD)/bench/networks/*.tflite \
	$(BUILD)/bench/today/*.tflite "$$NNA_DEMO_MODEL"
BENCH_JSON ?= $(BUILD)/bench.json
BENCH_SITE = $$(tests/clients/setup bench | sed s,bin/python3$$,lib/python3*/site-packages,)

#. bench: bench BENCH_MODELS= BENCH_ARGS=: LiteRT, ONNX Runtime and OpenVINO against nnaccel: ratios
.PHONY: bench
bench: $(BUILD)/bin/nnactl
	$$(tests/clients/setup) tests/bench/networks.py $(BUILD)/bench/networks
	$$(tests/clients/setup today) tests/bench/today.py $(BUILD)/bench/today 2>$(BUILD)/bench/today.log
	eval "$$(demo/fetch)" && PYTHONPATH=$$(echo $(BENCH_SITE)) \
		$$(tests/clients/setup) tests/bench/convert.py $(BUILD)/bench $(BENCH_MODELS)
	eval "$$(demo/fetch)" && $$(tests/clients/setup bench) tests/bench/peers.py --nnactl $(BUILD)/bin/nnactl \
		--onnx $(BUILD)/bench --json $(BENCH_JSON) $(BENCH_ARGS) $(BENCH_MODELS)

# The same with a guest that QEMU emulates, as its clients see the NNA.
BENCH_GUEST_MODELS ?= $(addprefix ../shared/models/, \
	mobilenet_v1_1.0_224_quant_embedding_extractor.tflite mobilenet_v2_1.0_224_quant.tflite)
#. bench: bench-guest: the same with nnaccel in a guest
.PHONY: bench-guest
bench-guest: $(BUILD)/bin/nnactl kernel
	$$(tests/clients/setup bench) tests/bench/peers.py --nnactl $(BUILD)/bin/nnactl \
		--guest vm/run --onnx $(BUILD)/bench $(BENCH_ARGS) $(BENCH_GUEST_MODELS)

# What make bench has written, beside what was committed of an earlier one.
# BENCH_HISTORY_ARGS=--accept makes it what later ones are compared with.
#. bench: bench-history: the last bench beside earlier ones, as docs/bench.svg, and its times as docs/bench.md
.PHONY: bench-history
bench-history:
	$$(tests/clients/setup plot) tests/bench/history.py --baseline tests/bench/baseline.json \
		--svg docs/bench.svg --latency docs/bench.md $(BENCH_HISTORY_ARGS) $(BENCH_JSON)

# The table of the HAL's capabilities, of models by operand type.
#. generate: capabilities: the table of the HAL's capabilities, measured
.PHONY: capabilities
capabilities: $(BUILD)/bin/nnactl
	$$(tests/clients/setup) tests/bench/type_models.py $(BUILD)/bench/types
	$$(tests/clients/setup bench) tests/bench/capabilities.py --nnactl $(BUILD)/bin/nnactl \
		--models $(BUILD)/bench/types hal-bridge/common/performance_table.c
