# SPDX-License-Identifier: MIT
#
# nna-device; included by device/module.mk, which sets LIBNNADEV.

TRANSPORT_SRCS := $(filter-out device/transport/main.c,$(wildcard device/transport/*.c))
TRANSPORT_OBJS := $(TRANSPORT_SRCS:%.c=$(BUILD)/obj/%.o)

ifneq ($(LIBNNADEV),)
PROGRAMS += $(BUILD)/bin/nna-device
endif

$(BUILD)/bin/nna-device: $(BUILD)/obj/device/transport/main.o $(TRANSPORT_OBJS) $(LIBNNADEV)
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -o $@ $^ -lm
