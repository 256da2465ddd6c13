# SPDX-License-Identifier: MIT
#
# libnnaccel as an archive and as a shared object. Both have the device's model in them, for the
# loopback.
NNACCEL_DIRS := graph ops compiler runtime winsys winsys/drm winsys/loopback
NNACCEL_SRCS := $(foreach d,$(NNACCEL_DIRS),$(wildcard libnnaccel/$(d)/*.c))
NNACCEL_OBJS := $(patsubst %.c,$(BUILD)/obj/%.o,$(NNACCEL_SRCS))
NNACCEL_LIB := $(BUILD)/lib/libnnaccel.a
NNACCEL_SO := $(BUILD)/lib/libnnaccel.so.1
NNACCEL_LIBS := $(shell pkg-config --libs libdrm 2>/dev/null || echo -ldrm) -lm
LIBRARIES += $(NNACCEL_LIB) $(NNACCEL_SO)

$(BUILD)/obj/libnnaccel/%.o: CPPFLAGS += $(shell pkg-config --cflags libdrm 2>/dev/null)

$(NNACCEL_LIB): $(NNACCEL_OBJS) $(DEVICE_OBJS) $(ENGINE_OBJS)
	@mkdir -p $(@D)
	rm -f $@
	$(AR) rcs $@ $^

$(NNACCEL_SO): $(NNACCEL_OBJS) $(DEVICE_OBJS) $(ENGINE_OBJS)
	@mkdir -p $(@D)
	$(CC) -shared -Wl,-soname,libnnaccel.so.1 $(LDFLAGS) -o $@ $^ $(NNACCEL_LIBS)
	ln -sf libnnaccel.so.1 $(BUILD)/lib/libnnaccel.so
