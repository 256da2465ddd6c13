# SPDX-License-Identifier: MIT
#
# The NNA: its core with the tables that hw/ generates, its engine, and the model that nna-device
# serves. libnnadev is the NNA with host/, for who links it: libnnaccel's loopback and tests.
NNA_SRCS := $(wildcard device/nna/core/*.c hw/gen/*.c)
NNA_OBJS := $(NNA_SRCS:%.c=$(BUILD)/obj/%.o)
DEVICE_OBJS := $(NNA_OBJS) $(HOST_OBJS)
LIBNNADEV := $(BUILD)/lib/libnnadev.a
LIBRARIES += $(LIBNNADEV)

# The engine.
ENGINE_SRCS := $(wildcard device/nna/engine/*.c device/nna/engine/ref/*.c)
# What the compiler makes code for, which need not be this machine.
ENGINE_ARCH := $(firstword $(subst -, ,$(shell $(CC) -dumpmachine 2>/dev/null)))
ENGINE_SRCS += $(wildcard $(patsubst %,device/nna/engine/%/*.c, \
	$(filter x86,$(ENGINE_ARCH:x86_64=x86)) $(filter arm,$(ENGINE_ARCH:aarch64=arm))))
ENGINE_OBJS := $(ENGINE_SRCS:%.c=$(BUILD)/obj/%.o)
MODEL_OBJS += $(BUILD)/obj/device/nna/model.o $(NNA_OBJS) $(ENGINE_OBJS)

$(LIBNNADEV): $(DEVICE_OBJS) $(ENGINE_OBJS)
	$(call say,AR)
	@mkdir -p $(@D)
	$(Q)rm -f $@
	$(Q)$(AR) rcs $@ $^

# The table of kernels: a line OPCODE(opcode, KERNEL(name) ...) for each opcode that sources name
# with NNADEV_KERNEL(name) = { opcode, ... Looked at in every run, because a source may have gone,
# and written where it has changed.
ENGINE_TABLE := $(BUILD)/gen/device/nna/engine/kernels.inc
#. internal: engine-table: the table of kernels
.PHONY: engine-table
engine-table:
$(ENGINE_TABLE): engine-table
	@mkdir -p $(@D)
	@sed -n 's/^NNADEV_KERNEL(\([a-z0-9_]*\)) = { \([A-Z0-9_]*\),.*/\2 \1/p' \
		$(sort $(ENGINE_SRCS)) | awk '{ k[$$1] = k[$$1] " KERNEL(" $$2 ")" } \
		END { for (o in k) print "OPCODE(" o "," k[o] ")" }' | sort > $@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@
$(BUILD)/obj/device/nna/engine/engine.o: $(ENGINE_TABLE)
$(BUILD)/obj/device/nna/engine/engine.o: override CPPFLAGS += -I$(BUILD)/gen

# math-errno off: a square root is the instruction and nothing more.
ENGINE_CFLAGS := -fno-math-errno
$(BUILD)/obj/device/nna/engine/%.o: override CFLAGS += $(ENGINE_CFLAGS)
# Reassociation would pair the products of two steps and spill the accumulators.
ENGINE_AVX2_CFLAGS := -mavx2 -mfma -mf16c -fno-tree-reassoc
$(BUILD)/obj/device/nna/engine/x86/avx2_%.o: override CFLAGS += $(ENGINE_AVX2_CFLAGS)
ENGINE_AVXVNNI_CFLAGS := $(ENGINE_AVX2_CFLAGS) -mavxvnni
$(BUILD)/obj/device/nna/engine/x86/avxvnni_%.o: override CFLAGS += $(ENGINE_AVXVNNI_CFLAGS)
ENGINE_AVX512_CFLAGS := $(ENGINE_AVX2_CFLAGS) -mavx512f -mavx512bw -mavx512dq -mavx512vl \
	-mavx512vnni
$(BUILD)/obj/device/nna/engine/x86/avx512_%.o: override CFLAGS += $(ENGINE_AVX512_CFLAGS)

ENGINE_DOTPROD_CFLAGS := -march=armv8.2-a+dotprod
$(BUILD)/obj/device/nna/engine/arm/dotprod_%.o: override CFLAGS += $(ENGINE_DOTPROD_CFLAGS)
# Scheduling before registers are assigned would load far ahead and spill accumulators.
ENGINE_I8MM_CFLAGS := $(ENGINE_DOTPROD_CFLAGS)+i8mm -fno-schedule-insns
$(BUILD)/obj/device/nna/engine/arm/i8mm_%.o: override CFLAGS += $(ENGINE_I8MM_CFLAGS)

# Not run by the checks: prints what the kernels reach on this machine.
TESTS += $(BUILD)/tests/bench_engine
$(BUILD)/tests/bench_engine: $(BUILD)/obj/tests/bench/bench_engine.o \
		$(BUILD)/obj/tools/nnactl/peaks.o $(ENGINE_OBJS)
	$(call say,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ -lm -pthread
