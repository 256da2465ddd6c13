# SPDX-License-Identifier: MIT
#
# nna-device and the tests of its vfio-user server; included by device/module.mk, which sets LIBNNADEV.

TRANSPORT_SRCS := $(filter-out device/transport/nna_device.c,$(wildcard device/transport/*.c))
TRANSPORT_OBJS := $(TRANSPORT_SRCS:%.c=$(BUILD)/obj/%.o)

ifneq ($(LIBNNADEV),)
PROGRAMS += $(BUILD)/bin/nna-device
endif

$(BUILD)/bin/nna-device: $(BUILD)/obj/device/transport/nna_device.o $(TRANSPORT_OBJS) $(LIBNNADEV)
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -o $@ $^ -lm

# The server against a model that only records what it is asked.
UNIT_TESTS += $(BUILD)/tests/test_vfio_user
$(BUILD)/obj/tests/unit/test_vfio_user.o: CPPFLAGS += -Idevice/transport
$(BUILD)/tests/test_vfio_user: $(BUILD)/obj/tests/unit/test_vfio_user.o $(filter-out %/nna_control.o,$(TRANSPORT_OBJS))
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -o $@ $^ -lcmocka

# The control socket, the same way.
UNIT_TESTS += $(BUILD)/tests/test_control
$(BUILD)/obj/tests/unit/test_control.o: CPPFLAGS += -Idevice/transport
$(BUILD)/tests/test_control: $(BUILD)/obj/tests/unit/test_control.o \
		$(patsubst %,$(BUILD)/obj/device/transport/%.o,nna_control nna_listener)
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -o $@ $^ -lcmocka
