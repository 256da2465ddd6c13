# SPDX-License-Identifier: MIT
#
# libneuralnetworks.so, the NNAPI C API. common/ serves the HALs as well. libnnaccel is linked in,
# so that one file is enough; the loopback is libnnaccel.so's plug-in, found beside this library.
comma := ,
HAL_COMMON_OBJS := $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard hal-bridge/common/*.c))
HAL_BINDER_OBJS := $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard hal-bridge/binder/*.c \
	hal-bridge/aidl/*.c hal-bridge/aidl/gen/*.c))
HAL_SERVICE_OBJS := $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard hal-bridge/service/*.c))
NNAPI_OBJS := $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard hal-bridge/nnapi/*.c))
NNAPI_LIB := $(BUILD)/lib/libneuralnetworks.so
LIBRARIES += $(NNAPI_LIB)

# The device's version tells the build; the plug-in that is the reference has to be of the same.
$(BUILD)/obj/hal-bridge/nnapi/device.o: CPPFLAGS += -I$(BUILD)/gen
$(BUILD)/obj/hal-bridge/nnapi/device.o: $(BUILD)/gen/nna_build_id.h

$(NNAPI_LIB): hal-bridge/nnapi/libneuralnetworks.map $(NNAPI_OBJS) $(HAL_COMMON_OBJS) \
		$(BUILD)/obj/libnnaccel/shared.a \
		| $(BUILD)/lib/nnaccel/libnnaccel-loopback.so
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -shared -Wl,-soname,libneuralnetworks.so -Wl,-z,now \
		$(if $(SANFLAGS),,-Wl$(comma)-z$(comma)defs) \
		-Wl,--version-script=hal-bridge/nnapi/libneuralnetworks.map -o $@ $(filter-out %.map,$^) \
		$(NNACCEL_LIBS)

# The example: a client that knows only the header and the library.
PROGRAMS += $(BUILD)/bin/nnapi-add
$(BUILD)/bin/nnapi-add: $(BUILD)/obj/hal-bridge/examples/add.o $(NNAPI_LIB)
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -o $@ $< -L$(BUILD)/lib -lneuralnetworks -Wl,-rpath,'$$ORIGIN/../lib'

# The types and methods of the NN HAL, out of one description.
.PHONY: aidl aidl-check
aidl:
	/usr/bin/python3 hal-bridge/aidl/generate.py
aidl-check:
	/usr/bin/python3 hal-bridge/aidl/generate.py --check
