# SPDX-License-Identifier: MIT
#
# make check-clients: models of other people's tools, on the NNA, through the delegate in LiteRT,
# and with TFLite's reference kernels. Outside make check: it fetches 1.6 GiB once, and makes the
# models for some minutes.
CLIENTS_MODELS := $(BUILD)/clients

.PHONY: check-clients
check-clients: $(BUILD)/bin/nnactl $(BUILD)/lib/libnnaccel_delegate.so
	python=$$(tests/clients/setup) && \
	timeout 1500 $$python tests/clients/models.py $(CLIENTS_MODELS) 2>$(CLIENTS_MODELS).log && \
	timeout 1500 $$python tests/clients/check.py --nnactl $(BUILD)/bin/nnactl \
		--delegate $(BUILD)/lib/libnnaccel_delegate.so \
		$(wildcard ../shared/models/*.tflite) $$(ls $(CLIENTS_MODELS)/*.tflite)
