# SPDX-License-Identifier: MIT
#
# nnaccel in runtimes that pip installs. Outside make check, as it fetches them once: about 1 GiB.
#
#. test: check-runtimes RUNTIMES=: LiteRT's compiled models and other runtimes with nnaccel in them, or the runtimes that are named
.PHONY: check-runtimes
RUNTIMES ?=
check-runtimes: all wheel-litert wheel-onnxruntime $(BUILD)/tests/runtimes/libsupport.so
	BUILD=$(BUILD) tests/runtimes/run $(RUNTIMES)

#. test: litert-times: times of models in LiteRT, on the loopback over its CPU: writes the table of docs/litert.md
.PHONY: litert-times
litert-times: all
	python=$$(tests/runtimes/setup litert-2.3) && models=$$(tests/clients/check-today --make) && \
	NNACCEL_DEVICE=loopback $$python tests/runtimes/litert_times.py --libraries $(BUILD)/lib/litert \
		--page docs/litert.md ../shared/models/*.tflite "$$models"/*.tflite

#. test: check-runtimes-vm: both of them in a VM: they find the driver's node, and other drivers' fences wait for their runs
.PHONY: check-runtimes-vm
check-runtimes-vm: all kernel $(BUILD)/tests/runtimes/libsupport.so
	BUILD=$(BUILD) tests/runtimes/run vm

# What their tests in Python have no module for.
RUNTIMES_SUPPORT := $(BUILD)/tests/runtimes/libsupport.so
TESTS += $(RUNTIMES_SUPPORT)
$(RUNTIMES_SUPPORT): $(BUILD)/obj/tests/runtimes/support.o $(BUILD)/obj/demo/gate.o $(TFLITE_OBJS) $(ONNX_OBJS) \
		$(BUILD)/obj/libnnaccel/shared.a | $(NNACCEL_PLUGIN)
	$(call say,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -shared -Wl,-z,defs -o $@ $^ $(NNACCEL_LIBS)
	$(Q)ln -sfn ../../lib/nnaccel $(@D)/nnaccel
