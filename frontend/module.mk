# SPDX-License-Identifier: MIT
#
# Front ends: each folder translates models of another world for nnaccel.h, and its module.mk says what
# becomes of it. The reader of TFLite files serves nnactl, the demo, the tests and the delegate.
TFLITE_OBJS := $(patsubst %.c,$(BUILD)/obj/%.o, \
	$(wildcard frontend/tflite/*.c frontend/tflite/ops/*.c))
# The reader of ONNX files, for nnactl, and for ONNX Runtime's plug-in.
ONNX_OBJS := $(patsubst %.c,$(BUILD)/obj/%.o, \
	$(wildcard frontend/onnx/*.c frontend/onnx/ops/*.c))
# What Vela has compiled, for nnactl and the delegate.
VELA_OBJS := $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard frontend/vela/*.c))

include $(wildcard frontend/*/module.mk)
