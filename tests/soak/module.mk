# SPDX-License-Identifier: MIT
#
# make soak: hours of everything at once in one guest (tests/soak/run).
TESTS += $(BUILD)/tests/soak_client

$(BUILD)/tests/soak_client: $(BUILD)/obj/tests/soak/client.o $(TFLITE_OBJS) \
		$(BUILD)/lib/libnnaccel.a
	$(call say,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(NNACCEL_LIBS)

HOURS ?= 1
#. test: soak HOURS= SOAK_ARGS=: models, fuzzers, faults, kills, suspend and hot-plug at random for hours; build/soak/
.PHONY: soak
soak:
	vm/setup
	$(MAKE) -j2 all tests kernel selftests
	BUILD=$(BUILD) tests/soak/run --hours $(HOURS) $(SOAK_ARGS)
