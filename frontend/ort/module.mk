# SPDX-License-Identifier: MIT
#
# libonnxruntime_providers_nnaccel.so, a plug-in execution provider of ONNX Runtime. libnnaccel is
# linked in, so that one file is enough; the loopback is libnnaccel.so's plug-in, found beside it.
ORT_OBJS := $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard frontend/ort/*.c))
ORT_LIB := $(BUILD)/lib/libonnxruntime_providers_nnaccel.so
LIBRARIES += $(ORT_LIB)

$(ORT_LIB): frontend/ort/libonnxruntime_providers_nnaccel.map $(ORT_OBJS) $(ONNX_OBJS) \
		$(BUILD)/obj/libnnaccel/shared.a | $(BUILD)/lib/nnaccel/libnnaccel-loopback.so
	$(call say,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -shared -Wl,-soname,$(@F) -Wl,-z,now \
		$(if $(SANFLAGS),,-Wl$(comma)-z$(comma)defs) \
		-Wl,--version-script=$< -o $@ $(filter-out %.map,$^) $(NNACCEL_LIBS)

# The Python package: the same library, which looks for libdrm beside itself.
ORT_WHEEL_LIB := $(BUILD)/wheel/ort/libonnxruntime_providers_nnaccel.so

#. install: wheel-onnxruntime: the Python package onnxruntime-ep-nnaccel, into build/wheels/
.PHONY: wheel-onnxruntime
wheel-onnxruntime: $(ORT_WHEEL_LIB) $(WHEEL_PLUGIN)
	$(call make_wheel,onnxruntime-ep-nnaccel,"ONNX Runtime's models on the NNA accelerator",\
		frontend/ort/python/onnxruntime_ep_nnaccel docs/onnxruntime.md,,$(ORT_WHEEL_LIB))

$(ORT_WHEEL_LIB): frontend/ort/libonnxruntime_providers_nnaccel.map $(ORT_OBJS) $(ONNX_OBJS) \
		$(BUILD)/obj/libnnaccel/shared.a
	$(call say,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -shared -s -Wl,-soname,$(@F) -Wl,-z,now -Wl,-z,defs \
		-Wl,-rpath,'$$ORIGIN' -Wl,--version-script=$< -o $@ $(filter-out %.map,$^) \
		$(NNACCEL_LIBS)
