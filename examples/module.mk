# SPDX-License-Identifier: MIT
#
# Programs of libnnaccel's users: they know only its header and the shared library.
EXAMPLES := $(patsubst examples/%.c,$(BUILD)/bin/nnaccel-%,$(wildcard examples/*.c))
PROGRAMS += $(EXAMPLES)
$(EXAMPLES): $(BUILD)/bin/nnaccel-%: $(BUILD)/obj/examples/%.o $(BUILD)/lib/libnnaccel.so.1
	$(call say,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $< -L$(BUILD)/lib -lnnaccel -Wl,-rpath,'$$ORIGIN/../lib'
