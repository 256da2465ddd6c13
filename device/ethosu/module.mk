# SPDX-License-Identifier: MIT
#
# Arm's Ethos-U65 and U85, for nna-device and for tests.
ETHOSU_SRCS := $(wildcard device/ethosu/*.c)
ETHOSU_OBJS := $(ETHOSU_SRCS:%.c=$(BUILD)/obj/%.o)
MODEL_OBJS += $(ETHOSU_OBJS)

# Loops over elements are what a job spends its time with.
$(patsubst %,$(BUILD)/obj/device/ethosu/%.o,\
		convolution elementwise feature_map output patch pool resize): \
	override CFLAGS += -O3
