# SPDX-License-Identifier: MIT
#
# libnnaccel as an archive, which has the loopback and so the device's model in it, and as a shared
# object, which opens them as a plug-in (libnnaccel/winsys/plugin.h).
# Each folder of backend/ is a kind of accelerator, each of winsys/ a way to a device.
NNACCEL_DIRS := support graph ir ops backend compiler runtime winsys $(filter-out winsys/loopback winsys/model, \
	$(patsubst libnnaccel/%/,%,$(wildcard libnnaccel/backend/*/ libnnaccel/winsys/*/)))
NNACCEL_SRCS := $(wildcard hw/gen/*.c $(NNACCEL_DIRS:%=libnnaccel/%/*.c))
NNACCEL_PLUGIN_SRCS := $(wildcard libnnaccel/winsys/loopback/*.c libnnaccel/winsys/model/*.c) \
	$(patsubst %,libnnaccel/winsys/ethosu/%.c,address bo device link queue) \
	$(patsubst %,libnnaccel/backend/ethosu/%.c,marker place stream) \
	libnnaccel/winsys/va.c libnnaccel/support/log.c libnnaccel/support/thread.c
# What front ends share. They link it; libnnaccel.so has no use for the first three. Programs that
# link nothing else of the library take the messages alone.
NNACCEL_FRONT_ONLY_OBJS := $(patsubst %,$(BUILD)/obj/libnnaccel/support/%.o,cache_file message trace)
NNACCEL_ETHOSU_SRCS := $(patsubst %,libnnaccel/backend/ethosu/%.c,marker stream text) \
	$(patsubst %,libnnaccel/winsys/ethosu/%.c,buffer job node)
NNACCEL_FRONT_OBJS := $(NNACCEL_FRONT_ONLY_OBJS) $(NNACCEL_ETHOSU_SRCS:%.c=$(BUILD)/obj/%.o)
NNACCEL_MESSAGE_OBJS := $(patsubst %,$(BUILD)/obj/libnnaccel/support/%.o,message environment)
NNACCEL_LOADER := $(BUILD)/obj/libnnaccel/winsys/plugin.o
NNACCEL_EXPORT := $(BUILD)/obj/libnnaccel/winsys/loopback/plugin.o

# What the shared objects link, and what the plug-in does. The archive has both, without the two
# ends of the plug-in.
NNACCEL_SHARED_OBJS := $(NNACCEL_SRCS:%.c=$(BUILD)/obj/%.o)
NNACCEL_PLUGIN_OBJS := $(NNACCEL_PLUGIN_SRCS:%.c=$(BUILD)/obj/%.o) $(DEVICE_OBJS) $(ENGINE_OBJS) \
	$(ETHOSU_OBJS)
NNACCEL_OBJS := $(filter-out $(NNACCEL_LOADER) $(NNACCEL_EXPORT), \
	$(sort $(NNACCEL_SHARED_OBJS) $(NNACCEL_PLUGIN_OBJS)))

NNACCEL_LIB := $(BUILD)/lib/libnnaccel.a
NNACCEL_SO := $(BUILD)/lib/libnnaccel.so.1
NNACCEL_PLUGIN := $(BUILD)/lib/nnaccel/libnnaccel-loopback.so
NNACCEL_LIBS := $(shell pkg-config --libs libdrm 2>/dev/null || echo -ldrm) -lm
NNACCEL_LDFLAGS := -Wl,-z,now $(if $(SANFLAGS),,-Wl,-z,defs)
LIBRARIES += $(NNACCEL_LIB) $(NNACCEL_SO) $(NNACCEL_PLUGIN)

$(BUILD)/obj/libnnaccel/%.o: CPPFLAGS += $(shell pkg-config --cflags libdrm 2>/dev/null)

VERSION_USERS += $(BUILD)/obj/libnnaccel/support/version.o

$(NNACCEL_LIB): $(NNACCEL_OBJS)
	$(call say,AR)
	@mkdir -p $(@D)
	$(Q)rm -f $@
	$(Q)$(AR) rcs $@ $^

# For shared objects that have the library in them. It is not for installing.
$(BUILD)/obj/libnnaccel/shared.a: $(NNACCEL_SHARED_OBJS)
	$(call say,AR)
	@mkdir -p $(@D)
	$(Q)rm -f $@
	$(Q)$(AR) rcs $@ $^

# Whoever builds a shared object wants to use it, so the plug-in comes with it.
$(NNACCEL_SO): libnnaccel/libnnaccel.map \
		$(filter-out $(NNACCEL_FRONT_ONLY_OBJS),$(NNACCEL_SHARED_OBJS)) | $(NNACCEL_PLUGIN)
	$(call say,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) -shared -Wl,-soname,$(@F) -Wl,--version-script=$< $(LDFLAGS) $(NNACCEL_LDFLAGS) -o $@ \
		$(filter-out %.map,$^) $(NNACCEL_LIBS)
	$(Q)ln -sf libnnaccel.so.1 $(BUILD)/lib/libnnaccel.so

$(NNACCEL_PLUGIN): $(NNACCEL_PLUGIN_OBJS)
	$(call say,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) -shared -Wl,-soname,$(@F) $(LDFLAGS) $(NNACCEL_LDFLAGS) -o $@ $^ -lm

# The build id, by which library and plug-in know that they belong together, and saved programs that
# they are this library's: a hash of what they are made of.
NNACCEL_ID_DIRS := libnnaccel device/nna/core device/nna/engine device/ethosu device/host device/include \
	hw/gen hw/ethosu uapi
NNACCEL_ID_SRCS := $(sort $(shell find $(NNACCEL_ID_DIRS) -name '*.[ch]'))
NNACCEL_ID_USERS := $(NNACCEL_LOADER) $(NNACCEL_EXPORT) $(BUILD)/obj/libnnaccel/runtime/blob.o
$(NNACCEL_ID_USERS): CPPFLAGS += -I$(BUILD)/gen
$(NNACCEL_ID_USERS): $(BUILD)/gen/nna_build_id.h
$(BUILD)/gen/nna_build_id.h: $(NNACCEL_ID_SRCS)
	@mkdir -p $(@D)
	@id=$$({ echo '$(SANFLAGS)'; cat $^; } | sha256sum | cut -c 1-40) && \
		printf '#define NNA_BUILD_ID "%s"\n' "$$id" >$@
