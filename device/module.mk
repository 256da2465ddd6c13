# SPDX-License-Identifier: MIT
#
# libnnadev, the functional model, with the tables that hw/ generates. engine.mk adds the engine's
# objects (ENGINE_OBJS), transport.mk the process.
-include device/nna/engine.mk

DEVICE_SRCS := $(wildcard device/nna/core/*.c device/host/*.c hw/gen/*.c)
DEVICE_OBJS := $(DEVICE_SRCS:%.c=$(BUILD)/obj/%.o)
LIBNNADEV := $(BUILD)/lib/libnnadev.a
LIBRARIES += $(LIBNNADEV)

$(LIBNNADEV): $(DEVICE_OBJS) $(ENGINE_OBJS)
	$(call say,AR)
	@mkdir -p $(@D)
	$(Q)rm -f $@
	$(Q)$(AR) rcs $@ $^

-include device/transport.mk
