# SPDX-License-Identifier: MIT
#
# libneuralnetworks.so, the NNAPI C API. common/ serves the HALs as well. libnnaccel is linked in,
# so that one file is enough; the loopback is libnnaccel.so's plug-in, found beside this library.
comma := ,
HAL_COMMON_OBJS := $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard hal-bridge/common/*.c))
HAL_BINDER_OBJS := $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard hal-bridge/binder/*.c \
	hal-bridge/aidl/*.c hal-bridge/aidl/gen/*.c hal-bridge/hidl/*.c hal-bridge/hidl/gen/*.c))
HAL_PROGRAM_OBJS := $(patsubst %,$(BUILD)/obj/%.o,hal-bridge/service/main \
	hal-bridge/service/sandbox sandbox/seccomp)
HAL_SERVICE_OBJS := $(filter-out $(HAL_PROGRAM_OBJS), \
	$(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard hal-bridge/service/*.c \
	hal-bridge/service/hidl/*.c)))
VERSION_USERS += $(BUILD)/obj/hal-bridge/service/device.o $(BUILD)/obj/hal-bridge/service/main.o
HAL_GBINDER_OBJS := $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard hal-bridge/binder/gbinder/*.c))
NNAPI_OBJS := $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard hal-bridge/nnapi/*.c))
NNAPI_LIB := $(BUILD)/lib/libneuralnetworks.so
LIBRARIES += $(NNAPI_LIB)

# The device's version tells the build; the plug-in that is the reference has to be of the same.
$(BUILD)/obj/hal-bridge/nnapi/device.o: CPPFLAGS += -I$(BUILD)/gen
$(BUILD)/obj/hal-bridge/nnapi/device.o: $(BUILD)/gen/nna_build_id.h

$(NNAPI_LIB): hal-bridge/nnapi/libneuralnetworks.map $(NNAPI_OBJS) $(HAL_COMMON_OBJS) \
		$(BUILD)/obj/libnnaccel/shared.a \
		| $(BUILD)/lib/nnaccel/libnnaccel-loopback.so
	$(call say,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -shared -Wl,-soname,libneuralnetworks.so -Wl,-z,now \
		$(if $(SANFLAGS),,-Wl$(comma)-z$(comma)defs) \
		-Wl,--version-script=hal-bridge/nnapi/libneuralnetworks.map -o $@ $(filter-out %.map,$^) \
		$(NNACCEL_LIBS)

# The examples: clients that know only installed headers and the library.
$(BUILD)/obj/hal-bridge/examples/%.o: CPPFLAGS += -Ihal-bridge/include
NNAPI_EXAMPLES := $(patsubst hal-bridge/examples/%.c,$(BUILD)/bin/nnapi-%, \
	$(wildcard hal-bridge/examples/*.c))
PROGRAMS += $(NNAPI_EXAMPLES)
$(NNAPI_EXAMPLES): $(BUILD)/bin/nnapi-%: $(BUILD)/obj/hal-bridge/examples/%.o $(NNAPI_LIB)
	$(call say,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $< -L$(BUILD)/lib -lneuralnetworks -Wl,-rpath,'$$ORIGIN/../lib'

# libgbinder of this machine, or what vm/setup has unpacked; without it there is no nnaccel-hal.
GBINDER_STAMP := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/nnaccel/stamp.gbinder
ifneq ($(shell pkg-config --atleast-version=1.1.48 libgbinder 2>/dev/null && echo yes),)
GBINDER_CFLAGS := $(shell pkg-config --cflags libgbinder libglibutil gobject-2.0)
GBINDER_LIBS := $(shell pkg-config --libs libgbinder libglibutil glib-2.0 gobject-2.0)
else ifneq ($(wildcard $(GBINDER_STAMP)),)
gbinder_root := $(shell . $(GBINDER_STAMP) && echo "$$NNA_GBINDER")
ifneq ($(gbinder_root),)
gbinder_lib := $(wildcard $(gbinder_root)/usr/lib/*-linux-gnu)
GBINDER_CFLAGS := -isystem $(gbinder_root)/usr/include/gbinder \
	-isystem $(gbinder_root)/usr/include/gutil \
	$(patsubst -I%,-isystem %,$(shell pkg-config --cflags glib-2.0 gobject-2.0))
GBINDER_LIBS := -L$(gbinder_lib) -lgbinder -lglibutil \
	-Wl,--disable-new-dtags,-rpath,$(gbinder_lib) \
	$(shell pkg-config --libs glib-2.0 gobject-2.0)
endif
endif

$(HAL_GBINDER_OBJS): CPPFLAGS += $(GBINDER_CFLAGS)
# The driver's ioctl that names a file's user.
$(patsubst %,$(BUILD)/obj/hal-bridge/service/%.o,namer sandbox): \
	CPPFLAGS += $(shell pkg-config --cflags libdrm 2>/dev/null)
HAL_PROGRAM := $(BUILD)/bin/nnaccel-hal
ifneq ($(GBINDER_LIBS),)
PROGRAMS += $(HAL_PROGRAM)
endif
$(HAL_PROGRAM): $(HAL_PROGRAM_OBJS) $(HAL_SERVICE_OBJS) $(HAL_BINDER_OBJS) $(HAL_GBINDER_OBJS) \
		$(HAL_COMMON_OBJS) $(BUILD)/lib/libnnaccel.a
	$(call say,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(NNACCEL_LIBS) $(GBINDER_LIBS)

# The demo as a client of it.
HAL_DEMO := $(BUILD)/bin/nna-demo-hal
ifneq ($(GBINDER_LIBS),)
PROGRAMS += $(HAL_DEMO)
endif
$(HAL_DEMO): $(DEMO_OBJS) $(BUILD)/obj/demo/hal.o $(BUILD)/obj/demo/tflite_hal.o \
		$(HAL_GBINDER_OBJS) $(HAL_BINDER_OBJS) $(BUILD)/obj/hal-bridge/common/worker.o \
		$(BUILD)/lib/libnnaccel.a
	$(call say,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(GBINDER_LIBS) $(DEMO_LIBS)

# The types and methods of the NN HAL, out of one description.
#. generate: aidl: the AIDL codec's tables
#. generate: aidl-check: whether those are up to date
.PHONY: aidl aidl-check
aidl:
	/usr/bin/python3 hal-bridge/aidl/generate.py
aidl-check:
	/usr/bin/python3 hal-bridge/aidl/generate.py --check
#. generate: hidl: the HIDL codec's tables
#. generate: hidl-check: whether those are up to date
.PHONY: hidl hidl-check
hidl:
	/usr/bin/python3 hal-bridge/hidl/generate.py
hidl-check:
	/usr/bin/python3 hal-bridge/hidl/generate.py --check
