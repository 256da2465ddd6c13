# SPDX-License-Identifier: MIT
#
# libnnaccel_delegate.so, TFLite's external delegate. libnnaccel is linked in, so that one file is
# enough; the loopback is libnnaccel.so's plug-in, found beside this library.
DELEGATE_OBJS := $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard frontend/delegate/*.c))
DELEGATE_LIB := $(BUILD)/lib/libnnaccel_delegate.so
LIBRARIES += $(DELEGATE_LIB)

$(DELEGATE_LIB): frontend/delegate/libnnaccel_delegate.map $(DELEGATE_OBJS) $(VELA_OBJS) $(TFLITE_OBJS) \
		$(BUILD)/obj/libnnaccel/shared.a \
		| $(BUILD)/lib/nnaccel/libnnaccel-loopback.so
	$(call say,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -shared -Wl,-soname,$(@F) -Wl,-z,now \
		$(if $(SANFLAGS),,-Wl$(comma)-z$(comma)defs) \
		-Wl,--version-script=$< -o $@ $(filter-out %.map,$^) \
		$(NNACCEL_LIBS)
