# SPDX-License-Identifier: MIT
#
# nna-device; included by device/module.mk, which sets LIBNNADEV. Its filter of system calls it has
# from sandbox/, together with nnaccel-hal.

TRANSPORT_SRCS := $(filter-out device/transport/main.c,$(wildcard device/transport/*.c)) \
	sandbox/seccomp.c
TRANSPORT_OBJS := $(TRANSPORT_SRCS:%.c=$(BUILD)/obj/%.o)

VERSION_USERS += $(BUILD)/obj/device/transport/main.o
ifneq ($(LIBNNADEV),)
PROGRAMS += $(BUILD)/bin/nna-device
endif

$(BUILD)/bin/nna-device: $(BUILD)/obj/device/transport/main.o $(TRANSPORT_OBJS) $(LIBNNADEV)
	$(call say,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ -lm
