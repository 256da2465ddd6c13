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
ENGINE_KERNELS := $(wildcard device/nna/engine/kernels/*.c)
ENGINE_SRCS := $(wildcard device/nna/engine/*.c device/nna/engine/ref/*.c) $(ENGINE_KERNELS)
# What the compiler makes code for, which need not be this machine.
ENGINE_ARCH := $(firstword $(subst -, ,$(shell $(CC) -dumpmachine 2>/dev/null)))
ENGINE_SRCS += $(wildcard $(patsubst %,device/nna/engine/%/*.c, \
	$(filter x86,$(ENGINE_ARCH:x86_64=x86)) $(filter arm,$(ENGINE_ARCH:aarch64=arm))))
# Kernels over the vector layer (simd/simd.h) are compiled for plain C, the set "vector", and once more
# for each of these sets, as NOUN.SET.o.
ENGINE_SETS := $(if $(filter x86_64,$(ENGINE_ARCH)),avx2 avx512) $(if $(filter aarch64,$(ENGINE_ARCH)),neon)
ENGINE_SET_OBJS := $(foreach s,$(ENGINE_SETS),$(ENGINE_KERNELS:%.c=$(BUILD)/obj/%.$s.o))
ENGINE_OBJS := $(ENGINE_SRCS:%.c=$(BUILD)/obj/%.o) $(ENGINE_SET_OBJS)
MODEL_OBJS += $(BUILD)/obj/device/nna/model.o $(NNA_OBJS) $(ENGINE_OBJS)

$(LIBNNADEV): $(DEVICE_OBJS) $(ENGINE_OBJS)
	$(call say,AR)
	@mkdir -p $(@D)
	$(Q)rm -f $@
	$(Q)$(AR) rcs $@ $^

# The table of kernels: a line OPCODE(opcode, KERNEL(name) ...) for each opcode that sources name
# with NNADEV_KERNEL(name) = { opcode, ... or, for each set, NNADEV_VECTOR_KERNEL(name). Looked at in
# every run, because a source may have gone, and written where it has changed, also by two
# makes at once.
ENGINE_TABLE := $(BUILD)/gen/device/nna/engine/kernels.inc
#. internal: engine-table: the table of kernels
.PHONY: engine-table
engine-table:
$(ENGINE_TABLE): engine-table
	@mkdir -p $(@D)
	@new=$@.$$$$; \
	awk -F '[(){}=, ]+' -v sets='vector $(ENGINE_SETS)' '\
		/^NNADEV_KERNEL\(/ { k[$$3] = k[$$3] " KERNEL(" $$2 ")" } \
		/^NNADEV_VECTOR_KERNEL\(/ { n = split(sets, s, " "); \
			for (i = 1; i <= n; i++) k[$$3] = k[$$3] " KERNEL(" s[i] "_" $$2 ")" } \
		END { for (o in k) print "OPCODE(" o "," k[o] ")" }' $(sort $(ENGINE_SRCS)) | sort > $$new && \
	{ cmp -s $$new $@ && rm $$new || mv $$new $@; }
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

# The compiler's note on how vectors are passed does not matter: all functions of them are inline.
ENGINE_VECTOR_CFLAGS := -DNNADEV_SIMD_SCALAR -Wno-psabi
$(ENGINE_KERNELS:%.c=$(BUILD)/obj/%.o): override CFLAGS += $(ENGINE_VECTOR_CFLAGS)
ENGINE_SET_CFLAGS_avx2 := $(ENGINE_AVX2_CFLAGS)
ENGINE_SET_CFLAGS_avx512 := $(ENGINE_AVX512_CFLAGS)
# The rule for the objects of set $(2) below $(1), whose recipe is $(3).
define engine_set
$(1)/device/nna/engine/kernels/%.$(2).o: device/nna/engine/kernels/%.c
	$$($(3))
endef
$(foreach s,$(ENGINE_SETS),$(eval $(call engine_set,$(BUILD)/obj,$s,compile)))
$(foreach s,$(ENGINE_SETS),$(eval $(BUILD)/obj/device/nna/engine/kernels/%.$s.o: \
	override CFLAGS += $(ENGINE_SET_CFLAGS_$s)))

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
