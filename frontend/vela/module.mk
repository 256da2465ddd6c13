# SPDX-License-Identifier: MIT
#
# What Vela has compiled, for nnactl and the delegate.
VELA_OBJS := $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard frontend/vela/*.c))
