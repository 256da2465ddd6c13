# SPDX-License-Identifier: MIT
#
# nna-device: the transport and the models that it serves (models.c). Each folder of device/ that has
# a module.mk says what it compiles: transport/ sets TRANSPORT_OBJS, a model adds its objects to
# MODEL_OBJS. host/ is everybody's.
HOST_SRCS := $(wildcard device/host/*.c)
HOST_OBJS := $(HOST_SRCS:%.c=$(BUILD)/obj/%.o)
MODEL_OBJS :=
include $(sort $(wildcard device/*/module.mk))

NNA_DEVICE := $(BUILD)/bin/nna-device
PROGRAMS += $(NNA_DEVICE)
VERSION_USERS += $(BUILD)/obj/device/options.o

$(NNA_DEVICE): $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard device/*.c)) $(TRANSPORT_OBJS) \
		$(MODEL_OBJS) $(HOST_OBJS)
	$(call say,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ -lm
