# SPDX-License-Identifier: MIT
#
# libnnadev, the functional model, with the tables that hw/ generates. engine.mk adds the engine's
# objects (ENGINE_OBJS), transport.mk the process.
-include device/engine.mk

DEVICE_OBJS := $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard device/core/*.c device/host/*.c hw/gen/*.c))
LIBNNADEV := $(BUILD)/lib/libnnadev.a
LIBRARIES += $(LIBNNADEV)

$(LIBNNADEV): $(DEVICE_OBJS) $(ENGINE_OBJS)
	@mkdir -p $(@D)
	rm -f $@
	$(AR) rcs $@ $^

-include device/transport.mk
