# SPDX-License-Identifier: MIT
#
# ONNX models with known results.
TESTS += $(BUILD)/tests/onnx_run

$(BUILD)/tests/onnx_run: $(BUILD)/obj/tests/onnx/onnx_run.o $(ONNX_OBJS) $(NNACCEL_LIB)
	$(call say,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(NNACCEL_LIBS)
