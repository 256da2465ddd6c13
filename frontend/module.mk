# SPDX-License-Identifier: MIT
#
# Front ends: each folder translates models of another world for nnaccel.h, and its module.mk says what
# becomes of it. The reader of TFLite files serves nnactl, the demo, the tests and the delegate.
TFLITE_OBJS := $(patsubst %.c,$(BUILD)/obj/%.o, \
	$(wildcard frontend/tflite/*.c frontend/tflite/ops/*.c))
# The reader of ONNX files, for nnactl, and for ONNX Runtime's plug-in.
ONNX_OBJS := $(patsubst %.c,$(BUILD)/obj/%.o, \
	$(wildcard frontend/onnx/*.c frontend/onnx/ops/*.c))
# What Vela has compiled, and models on two devices, for nnactl and the delegate.
VELA_OBJS := $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard frontend/vela/*.c frontend/split/*.c))

# Python packages have what a machine with pip alone may lack: the loopback and libdrm, with its licence.
WHEEL_PLUGIN := $(BUILD)/wheel/libnnaccel-loopback.so
$(WHEEL_PLUGIN): $(BUILD)/lib/nnaccel/libnnaccel-loopback.so
	@mkdir -p $(@D)
	$(Q)objcopy --strip-unneeded $< $@

# $(call make_wheel,NAME,SUMMARY,PACKAGE README,FOLDER/,LIBRARIES): FOLDER/ of the package has the libraries.
define make_wheel
$(Q)drm=$$($(CC) -print-file-name=libdrm.so.2) && install/wheel --name $1 --version $(VERSION) --summary $2 \
	--package $(firstword $3) --readme $(lastword $3) --out $(BUILD)/wheels --license LICENSES/MIT.txt \
	$(patsubst %,--license %,$(wildcard /usr/share/doc/libdrm2/copyright)) \
	$(foreach l,$5,$l:$4$(notdir $l)) $(WHEEL_PLUGIN):$4nnaccel/$(notdir $(WHEEL_PLUGIN)) "$$drm":$4libdrm.so.2
endef

include $(wildcard frontend/*/module.mk)
