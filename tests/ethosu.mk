# SPDX-License-Identifier: MIT
#
# The Ethos-U in this process, and through the kernel's driver in a VM.
ETHOSU_RUN := $(BUILD)/tests/ethosu_run
ETHOSU_DRIVE := $(BUILD)/tests/ethosu_drive
ETHOSU_ARGUMENTS := $(BUILD)/obj/tests/ethosu/arguments.o
TESTS += $(ETHOSU_RUN) $(ETHOSU_DRIVE)
$(ETHOSU_RUN): $(BUILD)/obj/tests/ethosu/run.o $(BUILD)/obj/tests/ethosu/machine.o $(ETHOSU_ARGUMENTS) \
		$(ETHOSU_OBJS) $(ENGINE_OBJS) $(HOST_OBJS)
	$(call say,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ -lm

# Weights of streams, encoded again by the library.
ETHOSU_WEIGHTS := $(BUILD)/tests/ethosu_weights
TESTS += $(ETHOSU_WEIGHTS)
$(ETHOSU_WEIGHTS): $(BUILD)/obj/tests/ethosu/weights.o $(ETHOSU_ARGUMENTS) $(ETHOSU_OBJS) $(NNACCEL_LIB)
	$(call say,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(NNACCEL_LIBS)

# What operations of a stream cost.
ETHOSU_COST := $(BUILD)/tests/ethosu_cost
TESTS += $(ETHOSU_COST)
$(ETHOSU_COST): $(BUILD)/obj/tests/ethosu/cost.o $(ETHOSU_ARGUMENTS) $(ETHOSU_OBJS) $(ENGINE_OBJS) $(HOST_OBJS)
	$(call say,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ -lm

# Models through NNAPI; the reader of files is the demo's, which has no graph.
ETHOSU_NNAPI := $(BUILD)/tests/ethosu_nnapi
TESTS += $(ETHOSU_NNAPI)
$(ETHOSU_NNAPI): $(BUILD)/obj/tests/ethosu/nnapi.o $(BUILD)/obj/demo/tflite_nnapi.o $(BUILD)/obj/demo/network.o \
		$(filter-out %/graph.o %/supported.o,$(TFLITE_OBJS)) $(BUILD)/lib/libneuralnetworks.so \
		$(BUILD)/lib/libnnaccel.a
	$(call say,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -Wl,-rpath,'$$ORIGIN/../lib' -o $@ $^ -lm

# A node of the kernel's driver for other programs, by LD_PRELOAD.
ETHOSU_NODE := $(BUILD)/tests/libethosu_node.so
TESTS += $(ETHOSU_NODE)
$(BUILD)/obj/tests/ethosu/node.o: CPPFLAGS += $(shell pkg-config --cflags libdrm 2>/dev/null)
$(ETHOSU_NODE): $(BUILD)/obj/tests/ethosu/node.o $(BUILD)/obj/tests/ethosu/machine.o $(ETHOSU_OBJS) \
		$(ENGINE_OBJS) $(HOST_OBJS)
	$(call say,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -shared -o $@ $^ -lm

$(BUILD)/obj/tests/ethosu/drive.o: CPPFLAGS += $(SELFTEST_CFLAGS)
$(ETHOSU_DRIVE): $(BUILD)/obj/tests/ethosu/drive.o $(ETHOSU_ARGUMENTS)
	$(call say,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(SELFTEST_LIBS)

#. test: check-ethosu: operators and models on the Ethos-U against LiteRT, three configurations; then through the kernel's driver in VMs; TEFLON=PATH also runs Mesa's libteflon
#. test: check-ethosu-operators: the first half, without a VM
#. test: check-ethosu-files: what Vela has compiled by nnactl and by LiteRT with the delegate, without a VM
#. test: check-ethosu-weights: the library's streams of weights beside Vela's, without a VM
#. test: check-ethosu-cost: bytes and cycles of Vela's streams beside Vela's own account, and of the library's beside Vela's, without a VM
#. test: check-ethosu-refusals: one line for what cannot be used, without a VM
#. test: check-ethosu-compiler: what the library compiles for the Ethos-U, on the model in this process
#. test: check-ethosu-models: models that the library compiles for the Ethos-U, against the NNA, without a VM
#. test: check-ethosu-stack: the same by nnactl, NNAPI, the NN HAL and the delegate, through the kernel's driver in VMs; a part of check-ethosu-long
#. test: check-ethosu-selftests: kselftests of the kernel's driver in VMs, and of the driver with docs/ethosu-patches
#. test: check-ethosu-long: all configurations, memory modes and choices of Vela, which give the same bytes: an hour
#
# tests/clients/setup and tests/ethosu/setup fetch LiteRT and Vela once; vm/setup --ethosu the driver's source.
ETHOSU_CASES := $(BUILD)/ethosu/cases
ETHOSU_MODELS = $(wildcard ../shared/models/*.tflite)
ETHOSU_OPERATORS = $$(tests/clients/setup) tests/ethosu/operators.py --build $(BUILD) --vela $$(tests/ethosu/setup)
.PHONY: check-ethosu check-ethosu-compiler check-ethosu-operators check-ethosu-files check-ethosu-models \
	check-ethosu-weights check-ethosu-cost check-ethosu-refusals check-ethosu-stack check-ethosu-selftests check-ethosu-long
check-ethosu-operators: $(ETHOSU_RUN)
	rm -rf $(ETHOSU_CASES)
	$(ETHOSU_OPERATORS) --keep $(ETHOSU_CASES) $(ETHOSU_MODELS)

# Vela's files by nnactl and by LiteRT with the delegate: on a node in the process, then in a VM.
ETHOSU_FILES = $$(tests/clients/setup) tests/ethosu/files.py --build $(BUILD) --vela $$(tests/ethosu/setup)
check-ethosu-files: $(ETHOSU_NODE) all
	$(ETHOSU_FILES) --memory Dedicated_Sram $(ETHOSU_MODELS)

check-ethosu-models: all
	$$(tests/clients/setup) tests/ethosu/models.py --build $(BUILD) $(ETHOSU_MODELS)

# Two configurations, each in one boot; ETHOSU_STACK names other models.
ETHOSU_STACK = $(filter %/mobilenet_v1_0.25_128_quant.tflite %/keras_lstm_mnist_ptq.tflite \
	%/deeplabv3_mnv2_dm05_pascal_quant.tflite,$(ETHOSU_MODELS))
check-ethosu-stack: $(ETHOSU_NNAPI) $(BUILD)/tests/nnv_run $(BUILD)/tests/nnv_hal $(BUILD)/tests/hal/manager all
	vm/setup --ethosu
	$$(tests/clients/setup) tests/ethosu/stack.py --build $(BUILD) $(ETHOSU_STACK)

check-ethosu-weights: $(ETHOSU_WEIGHTS)
	$$(tests/ethosu/setup) tests/ethosu/weights.py --build $(BUILD) $(ETHOSU_MODELS)

check-ethosu-cost: $(ETHOSU_COST) $(ETHOSU_NODE) all
	$$(tests/ethosu/setup) tests/ethosu/cost.py --build $(BUILD) $(ETHOSU_MODELS)

check-ethosu-refusals: $(ETHOSU_NODE) all
	$$(tests/ethosu/setup) tests/ethosu/refusals.py --build $(BUILD) \
		$(filter %/mobilenet_v1_0.25_128_quant.tflite,$(ETHOSU_MODELS))

# Cases that are not supported count as skipped. A line of the model's checks of streams is a failure.
ETHOSU_DEVICES := ethos-u65-256 ethos-u65-512 ethos-u85-128 ethos-u85-256 ethos-u85-2048
check-ethosu-compiler: $(BUILD)/tests/nnv_run $(BUILD)/tests/nnv_random
	@set -e; mkdir -p $(BUILD)/ethosu; for device in $(ETHOSU_DEVICES); do \
		log=$(BUILD)/ethosu/compiler-$$device.log; echo "$$device"; \
		$(BUILD)/tests/nnv_run --device=$$device ../shared/nnapi-vectors >$$log 2>&1 || \
			{ grep ^FAIL $$log | head; exit 1; }; \
		tail -n 1 $$log; \
		$(BUILD)/tests/nnv_random --device $$device --count 2000 >>$$log 2>&1 || \
			{ tail -n 20 $$log; exit 1; }; \
		tail -n 1 $$log; \
		! grep strict: $$log; \
	done

check-ethosu: check-ethosu-compiler check-ethosu-operators check-ethosu-files check-ethosu-weights \
		check-ethosu-refusals $(ETHOSU_DRIVE) all
	vm/setup --ethosu
	$$(tests/ethosu/setup) tests/ethosu/driver.py --build $(BUILD) --operators $(ETHOSU_CASES) $(ETHOSU_MODELS)
	$(ETHOSU_FILES) --vm $(filter %/mobilenet_v1_0.25_128_quant.tflite %/mobilenet_v2_1.0_224_quant.tflite,$(ETHOSU_MODELS))
	$(MAKE) check-ethosu-selftests
	tests/ethosu/teflon "$(TEFLON)" $(ETHOSU_MODELS)

check-ethosu-selftests: $(ETHOSU_SELFTESTS) $(BUILD)/bin/nna-device
	vm/setup --ethosu
	selftests/ethosu/run --build $(BUILD)
	module=$$(tests/ethosu/patched $(BUILD)/ethosu/patched) && \
		selftests/ethosu/run --build $(BUILD) --module $$module --patched ethos-u85-256

check-ethosu-long: $(ETHOSU_RUN) $(ETHOSU_NODE) all
	$(ETHOSU_OPERATORS) --long $(ETHOSU_MODELS)
	$(ETHOSU_FILES) $(ETHOSU_MODELS)
	$(MAKE) check-ethosu-cost
	$(MAKE) check-ethosu-stack
