# SPDX-License-Identifier: MIT
#
# make fuzz: everything that takes what strangers send, each against a hostile one, for FUZZ_SECONDS
# of CPU time (tests/fuzz/run), from the seeds in tests/fuzz/seeds and what it has found before.
# What is fuzzed is instrumented, the engine too. clang 14 and 19 build it: FUZZ_CC=clang-19. The NN
# HAL's is in tests/hal.mk.
FUZZ_CC ?= clang
FUZZ_OUT ?= build-fuzz
FUZZ_SECONDS ?= 60
FUZZ_TARGETS := stream mmu device ethosu vfio_user control tflite onnx blob
FUZZ_FLAGS := -fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=undefined \
	-fno-omit-frame-pointer
CLEAN += build-fuzz

#. fuzz: fuzz FUZZ_SECONDS=: all of the fuzzers below, one after the other
#. fuzz: fuzz-programs: build the fuzzers
#. fuzz: fuzz-stream: command streams
#. fuzz: fuzz-mmu: programs and their page tables
#. fuzz: fuzz-device: both, with registers, rings, resets and injected faults
#. fuzz: fuzz-ethosu: command streams of an Ethos-U
#. fuzz: fuzz-vfio-user: messages of a client of nna-device
#. fuzz: fuzz-control: the control socket of nna-device
#. fuzz: fuzz-tflite: TFLite files, which are read, compiled and run
#. fuzz: fuzz-onnx: ONNX files, which are read, compiled and run
#. fuzz: fuzz-blob: saved programs
.PHONY: fuzz fuzz-programs
fuzz: $(subst _,-,$(FUZZ_TARGETS:%=fuzz-%))
fuzz-programs: $(FUZZ_TARGETS:%=$(FUZZ_OUT)/fuzz_%)

# $(call fuzz_rules,NAME,LIBFUZZER OPTIONS)
#
# The time limit of an input is one of the wall, and ends what hangs: a busy machine made 60 s of two
# seconds of work. How much the device does for an input is counted (work.h).
define fuzz_rules
.PHONY: fuzz-$(subst _,-,$(1))
fuzz-$(subst _,-,$(1)): $(FUZZ_OUT)/fuzz_$(1)
	tests/fuzz/run $$< $$(FUZZ_SECONDS) $(2)
$(FUZZ_OUT)/fuzz_$(1): $(FUZZ_OUT)/obj/tests/fuzz/fuzz_$(1).o
endef
$(foreach t,stream mmu device vfio_user control, \
	$(eval $(call fuzz_rules,$(t),-timeout=1200 -max_len=4096)))
$(eval $(call fuzz_rules,ethosu,-timeout=1200 -max_len=16384 -rss_limit_mb=2560))
$(eval $(call fuzz_rules,tflite,-timeout=2400 -max_len=32768 -rss_limit_mb=4096))
$(eval $(call fuzz_rules,onnx,-timeout=2400 -max_len=32768 -rss_limit_mb=4096))
$(eval $(call fuzz_rules,blob,-timeout=1200 -max_len=8192))

# The objects of the ordinary build, each compiled in another way.
FUZZ_MODEL := $(patsubst $(BUILD)/obj/%,$(FUZZ_OUT)/obj/%,$(DEVICE_OBJS) $(ENGINE_OBJS))
FUZZ_NNA_MODEL := $(FUZZ_OUT)/obj/device/nna/model.o
FUZZ_TRANSPORT := $(TRANSPORT_OBJS:$(BUILD)/obj/%=$(FUZZ_OUT)/obj/%)
FUZZ_NNACCEL := $(NNACCEL_OBJS:$(BUILD)/obj/%=$(FUZZ_OUT)/obj/%)
FUZZ_TFLITE := $(FUZZ_NNACCEL) \
	$(patsubst %.c,$(FUZZ_OUT)/obj/%.o,$(wildcard frontend/tflite/*.c frontend/tflite/ops/*.c \
	frontend/vela/*.c frontend/split/*.c))
FUZZ_ONNX := $(FUZZ_NNACCEL) $(ONNX_OBJS:$(BUILD)/obj/%=$(FUZZ_OUT)/obj/%)
FUZZ_ETHOSU := $(ETHOSU_OBJS:$(BUILD)/obj/%=$(FUZZ_OUT)/obj/%)
FUZZ_OBJS := $(sort $(FUZZ_MODEL) $(FUZZ_ETHOSU) $(FUZZ_NNA_MODEL) $(FUZZ_TRANSPORT) \
	$(FUZZ_NNACCEL) $(FUZZ_TFLITE) $(FUZZ_ONNX) $(FUZZ_TARGETS:%=$(FUZZ_OUT)/obj/tests/fuzz/fuzz_%.o))

define compile_fuzz
$(call say,CC)
@mkdir -p $(@D)
$(Q)$(FUZZ_CC) $(CPPFLAGS) -I$(BUILD)/gen -O1 -g -std=c11 $(WARN) -ffp-contract=off -pthread \
	$(FUZZ_FLAGS) $(FUZZ_EXTRA) -MMD -MP -c -o $@ $<
endef
FUZZ_SET_OBJS := $(ENGINE_SET_OBJS:$(BUILD)/obj/%=$(FUZZ_OUT)/obj/%)
$(filter-out $(FUZZ_SET_OBJS),$(FUZZ_OBJS)): $(FUZZ_OUT)/obj/%.o: %.c
	$(compile_fuzz)
$(foreach s,$(ENGINE_SETS),$(eval $(call engine_set,$(FUZZ_OUT)/obj,$s,compile_fuzz)))
$(FUZZ_OUT)/obj/device/nna/engine/engine.o: $(ENGINE_TABLE)
$(filter $(FUZZ_OUT)/obj/libnnaccel/winsys/% $(FUZZ_OUT)/obj/libnnaccel/runtime/%,$(FUZZ_OBJS)): \
	$(BUILD)/gen/nna_build_id.h
$(VERSION_USERS:$(BUILD)/obj/%=$(FUZZ_OUT)/obj/%): $(BUILD)/gen/nna_version.h
$(FUZZ_OUT)/obj/libnnaccel/%.o $(FUZZ_OUT)/obj/tests/fuzz/%.o: override CPPFLAGS += \
	$(shell pkg-config --cflags libdrm 2>/dev/null)
# The model counts its work (tests/fuzz/work.h).
$(FUZZ_OUT)/obj/device/nna/core/%.o: FUZZ_EXTRA := -fsanitize-coverage=trace-pc
$(FUZZ_OUT)/obj/device/ethosu/%.o: FUZZ_EXTRA := -fsanitize-coverage=trace-pc
$(FUZZ_OUT)/obj/device/host/bus.o $(FUZZ_OUT)/obj/device/host/memory.o: \
	FUZZ_EXTRA := -fsanitize-coverage=trace-pc
$(FUZZ_OUT)/obj/device/nna/engine/%.o: FUZZ_EXTRA := -fsanitize-coverage=trace-pc -fno-math-errno
# With its optimisations clang takes minutes for the lanes of the set "vector", without them seconds.
$(ENGINE_KERNELS:%.c=$(FUZZ_OUT)/obj/%.o): FUZZ_EXTRA := -fsanitize-coverage=trace-pc \
	-fno-math-errno $(ENGINE_VECTOR_CFLAGS) -O0
$(foreach s,$(ENGINE_SETS),$(eval $(FUZZ_OUT)/obj/device/nna/engine/kernels/%.$s.o: \
	FUZZ_EXTRA := -fsanitize-coverage=trace-pc -fno-math-errno $(filter -m%,$(ENGINE_SET_CFLAGS_$s))))
$(FUZZ_OUT)/obj/device/nna/engine/x86/avx2_%.o: FUZZ_EXTRA := -fsanitize-coverage=trace-pc \
	-fno-math-errno -mavx2 -mfma -mf16c
$(FUZZ_OUT)/obj/device/nna/engine/x86/avxvnni_%.o: FUZZ_EXTRA := -fsanitize-coverage=trace-pc \
	-fno-math-errno $(filter -m%,$(ENGINE_AVXVNNI_CFLAGS))
$(FUZZ_OUT)/obj/device/nna/engine/x86/avx512_%.o: FUZZ_EXTRA := -fsanitize-coverage=trace-pc \
	-fno-math-errno $(filter -m%,$(ENGINE_AVX512_CFLAGS))
$(FUZZ_OUT)/obj/device/nna/engine/arm/dotprod_%.o: FUZZ_EXTRA := -fsanitize-coverage=trace-pc \
	-fno-math-errno $(filter -m%,$(ENGINE_DOTPROD_CFLAGS))
$(FUZZ_OUT)/obj/device/nna/engine/arm/i8mm_%.o: FUZZ_EXTRA := -fsanitize-coverage=trace-pc \
	-fno-math-errno $(filter -m%,$(ENGINE_I8MM_CFLAGS))
# clang takes minutes for these with the sanitizers, and seconds without. The reference and the kernels
# of the set "vector" have them, which are the same source.
$(filter %.avx512.o %/dwconvf.avx2.o %/gemmf.avx2.o,$(FUZZ_OBJS)) \
$(filter $(FUZZ_OUT)/obj/device/nna/engine/x86/avx512_%,$(FUZZ_OBJS)): \
	FUZZ_EXTRA += -fno-sanitize=address,undefined
-include $(FUZZ_OBJS:.o=.d)

$(FUZZ_TARGETS:%=$(FUZZ_OUT)/fuzz_%):
	$(call say,LD)
	$(Q)$(FUZZ_CC) -pthread $(FUZZ_FLAGS) -fsanitize=fuzzer \
		-Wl,--wrap=__sanitizer_cov_trace_pc -o $@ $(filter %.o,$^) $(FUZZ_LIBS) -lm
$(patsubst %,$(FUZZ_OUT)/fuzz_%,stream mmu device vfio_user control): $(FUZZ_MODEL)
$(FUZZ_OUT)/fuzz_ethosu: $(FUZZ_MODEL) $(FUZZ_ETHOSU)
$(patsubst %,$(FUZZ_OUT)/fuzz_%,stream mmu device): FUZZ_LIBS := -lcmocka
$(patsubst %,$(FUZZ_OUT)/fuzz_%,vfio_user control): $(FUZZ_TRANSPORT) $(FUZZ_NNA_MODEL)
$(FUZZ_OUT)/fuzz_tflite: $(FUZZ_TFLITE)
$(FUZZ_OUT)/fuzz_onnx: $(FUZZ_ONNX)
$(FUZZ_OUT)/fuzz_blob: $(FUZZ_NNACCEL)
$(FUZZ_OUT)/fuzz_tflite $(FUZZ_OUT)/fuzz_onnx $(FUZZ_OUT)/fuzz_blob: FUZZ_LIBS := $(NNACCEL_LIBS)
