# SPDX-License-Identifier: MIT
#
# make check-clients: models of other people's tools, on the NNA, through the delegate in LiteRT,
# TensorFlow, tflite-runtime and a C program on Debian's TFLite, and with TFLite's reference
# kernels; operators one by one are swept over types, attributes and quantisations. Outside make
# check: it fetches 1.7 GiB once, and makes the models for some minutes.
CLIENTS_MODELS := $(BUILD)/clients
CLIENTS_DELEGATE := $(BUILD)/lib/libnnaccel_delegate.so
CLIENTS_ALL = $(wildcard ../shared/models/*.tflite) $$(ls $(CLIENTS_MODELS)/*.tflite)
CLIENTS_FRAMES := $(wildcard ../shared/models/mobilenet_v1_0.25_128_quant.tflite)

#. test: check-clients: TFLite's, LiteRT's and TensorFlow's runtimes against nnaccel: all of the lines below
#. test: check-clients-sweep: each operator over types, attributes and quantisations, to the bit
#. test: check-clients-models: models of every operator, by LiteRT with the delegate and by nnactl
#. test: check-clients-decoder: prefill and decode with a KV cache, step by step as LiteRT
#. test: check-clients-hosts: the delegate in other runtimes
#. test: check-clients-frames: the delegate in a GStreamer pipeline
#. test: check-clients-vm: the same models in a VM, to the byte
#. test: check-clients-nnapi: TFLite's own NNAPI delegate on libneuralnetworks.so
#. test: check-models-today: transformers, detectors and others by today's converters, in five types
.PHONY: check-clients check-clients-models check-clients-hosts check-clients-frames
.PHONY: check-clients-decoder check-clients-vm check-clients-nnapi check-clients-sweep check-models-today
check-clients: check-clients-sweep check-clients-models check-clients-hosts check-clients-frames check-clients-vm
check-clients: check-clients-nnapi check-clients-decoder

# Operators one by one, against the reference kernels, to the bit: about 2 ms a case.
SWEEP_OPTIONS ?=
check-clients-sweep: $(BUILD)/bin/nnactl $(CLIENTS_DELEGATE)
	python=$$(tests/clients/setup) && \
	timeout 1200 $$python tests/clients/sweep.py --nnactl $(BUILD)/bin/nnactl \
		--delegate $(CLIENTS_DELEGATE) $(SWEEP_OPTIONS)

# Against the reference kernels, with the delegate in LiteRT, and the same by nnactl compare.
check-clients-models: $(BUILD)/bin/nnactl $(CLIENTS_DELEGATE)
	python=$$(tests/clients/setup) && \
	timeout 1500 $$python tests/clients/models.py $(CLIENTS_MODELS) 2>$(CLIENTS_MODELS).log && \
	timeout 1500 $$python tests/clients/check.py --nnactl $(BUILD)/bin/nnactl \
		--delegate $(CLIENTS_DELEGATE) $(CLIENTS_ALL) && \
	timeout 1500 tests/clients/compare $(BUILD)/bin/nnactl $$python \
		--save $(CLIENTS_MODELS)/loopback $(CLIENTS_ALL)

# Signatures, and state that lasts from step to step.
check-clients-decoder: $(BUILD)/bin/nnactl
	python=$$(tests/clients/setup) && \
	timeout 300 $$python tests/clients/decoder.py --nnactl $(BUILD)/bin/nnactl

# The delegate in other hosts.
check-clients-hosts: check-clients-models
	for host in tensorflow tflite_runtime; do \
		[ $$host = tensorflow ] && set -- || set -- tflite-runtime; \
		python=$$(tests/clients/setup "$$@") && \
		timeout 1500 $$python -W ignore tests/clients/hosts.py --host $$host \
			--nnactl $(BUILD)/bin/nnactl --delegate $(CLIENTS_DELEGATE) \
			$(CLIENTS_ALL) || exit 1; \
	done

# Frames of GStreamer, in C.
check-clients-frames: $(CLIENTS_DELEGATE)
	$(if $(CLIENTS_FRAMES),tests/clients/check-frames $< $(BUILD)/clients-frames \
		$(CLIENTS_FRAMES),@echo "no ../shared/models: frames are skipped")

# Loopback and device, to the byte.
check-clients-vm: check-clients-models
	[ -r $(BUILD)/kernel/nna.ko ] || { vm/setup && $(MAKE) kernel; }
	vm/run --timeout 2700 $(if $(wildcard ../shared),--share ../shared) -- tests/clients/compare $(BUILD)/bin/nnactl none \
		--saved $(CLIENTS_MODELS)/loopback $(CLIENTS_ALL)

# TFLite's own NNAPI delegate, which pymicro-wakeword's library has, on libneuralnetworks.so.
check-clients-nnapi: $(BUILD)/bin/nnactl $(BUILD)/lib/libneuralnetworks.so
	python=$$(tests/clients/setup) && judge=$$(tests/clients/setup nnapi) && \
	library=$$(ls "$${judge%/bin/*}"/lib/python*/site-packages/*/lib/libtensorflowlite_c.so) && \
	LD_LIBRARY_PATH=$(abspath $(BUILD))/lib NNACCEL_DEVICE=loopback timeout 1500 $$python \
		tests/clients/nnapi.py --tflite "$$library" --nnapi $(BUILD)/lib/libneuralnetworks.so \
		--nnactl $(BUILD)/bin/nnactl --operators \
		$(wildcard ../shared/models/*.tflite) 2>$(BUILD)/clients-nnapi.log

# Made once into the cache: fetches 3 GiB from PyPI.
check-models-today: $(BUILD)/bin/nnactl $(CLIENTS_DELEGATE)
	tests/clients/check-today $(BUILD)/bin/nnactl $(CLIENTS_DELEGATE)
