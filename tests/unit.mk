# SPDX-License-Identifier: MIT
#
# Unit tests mirror the tree: tests/unit/DIR/test_NOUN.c tests DIR/NOUN.c and is a program of its
# own, $(BUILD)/tests/unit/DIR/test_NOUN. Headers there hold what several of them use. What a
# folder's tests are linked with is said below.
unit = $(patsubst tests/unit/%.c,$(BUILD)/tests/unit/%,$(wildcard $(1:%=tests/unit/%/test_*.c)))
unit_transport := $(BUILD)/tests/unit/device/transport

CORE_TESTS := $(call unit,device/nna/core device/host tests/fuzz)
WORK_TESTS := $(BUILD)/tests/unit/device/nna/engine/test_work
ENGINE_TESTS := $(call unit,device/nna/engine device/nna/engine/ref device/nna/engine/kernels \
	device/nna/engine/vector \
	$(filter device/nna/engine/x86,$(ENGINE_ARCH:x86_64=device/nna/engine/x86)))
ENGINE_TESTS := $(filter-out $(WORK_TESTS),$(ENGINE_TESTS))
# What concerns the shared library as its users have it.
NNACCEL_SO_TESTS := $(BUILD)/tests/unit/libnnaccel/winsys/test_plugin
NNACCEL_TESTS := $(call unit,$(patsubst tests/unit/%/,%, \
	$(wildcard tests/unit/libnnaccel/ tests/unit/libnnaccel/*/ tests/unit/libnnaccel/*/*/)))
NNACCEL_TESTS := $(filter-out $(NNACCEL_SO_TESTS),$(NNACCEL_TESTS))
NNB_TESTS := $(call unit,hal-bridge/common)
BINDER_TESTS := $(call unit,hal-bridge/binder hal-bridge/aidl)
SERVICE_TESTS := $(call unit,hal-bridge/service)
NNAPI_TESTS := $(call unit,hal-bridge/nnapi hal-bridge/examples)
# What makes the library fail, and counts its calls.
NNAPI_INSIDE_TESTS := $(BUILD)/tests/unit/hal-bridge/nnapi/test_steps
NNAPI_TESTS := $(filter-out $(NNAPI_INSIDE_TESTS),$(NNAPI_TESTS))
TOOL_TESTS := $(call unit,frontend/tflite frontend/tflite/ops frontend/onnx tools/image)
DEMO_TESTS := $(call unit,demo)
DELEGATE_TESTS := $(call unit,frontend/delegate)
NNV_TESTS := $(call unit,tests/conformance)
# Headers alone.
HW_TESTS := $(call unit,hw/gen)
SANDBOX_TESTS := $(call unit,sandbox)
UNIT_TESTS += $(HW_TESTS) $(SANDBOX_TESTS) $(CORE_TESTS) $(ENGINE_TESTS) $(WORK_TESTS) \
	$(call unit,device device/transport device/toy device/nna) $(NNACCEL_TESTS) \
	$(NNACCEL_SO_TESTS) $(NNB_TESTS) $(BINDER_TESTS) $(SERVICE_TESTS) \
	$(NNAPI_TESTS) $(NNAPI_INSIDE_TESTS) $(TOOL_TESTS) $(DEMO_TESTS) $(DELEGATE_TESTS) $(NNV_TESTS)

$(CORE_TESTS): $(LIBNNADEV)
$(CORE_TESTS): UNIT_LIBS := -lm
$(ENGINE_TESTS): $(ENGINE_OBJS)
$(ENGINE_TESTS): UNIT_LIBS := -lm

# The engine again, such that it says when it enters a block of code.
WORK_OBJS := $(ENGINE_OBJS:$(BUILD)/obj/%=$(BUILD)/obj-work/%)
define compile_work
$(call say,CC)
@mkdir -p $(@D)
$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -fsanitize-coverage=trace-pc -MMD -MP -c -o $@ $<
endef
$(filter-out $(ENGINE_SET_OBJS:$(BUILD)/obj/%=$(BUILD)/obj-work/%),$(WORK_OBJS)): $(BUILD)/obj-work/%.o: %.c
	$(compile_work)
$(foreach s,$(ENGINE_SETS),$(eval $(call engine_set,$(BUILD)/obj-work,$s,compile_work)))
$(BUILD)/obj-work/device/nna/engine/engine.o: $(ENGINE_TABLE)
$(BUILD)/obj-work/device/nna/engine/engine.o: override CPPFLAGS += -I$(BUILD)/gen
$(BUILD)/obj-work/device/nna/engine/%.o: override CFLAGS += $(ENGINE_CFLAGS)
$(ENGINE_KERNELS:%.c=$(BUILD)/obj-work/%.o): override CFLAGS += $(ENGINE_VECTOR_CFLAGS)
$(foreach s,$(ENGINE_SETS),$(eval $(BUILD)/obj-work/device/nna/engine/kernels/%.$s.o: \
	override CFLAGS += $(ENGINE_SET_CFLAGS_$s)))
$(BUILD)/obj-work/device/nna/engine/x86/avx2_%.o: override CFLAGS += $(ENGINE_AVX2_CFLAGS)
$(BUILD)/obj-work/device/nna/engine/x86/avxvnni_%.o: override CFLAGS += $(ENGINE_AVXVNNI_CFLAGS)
$(BUILD)/obj-work/device/nna/engine/x86/avx512_%.o: override CFLAGS += $(ENGINE_AVX512_CFLAGS)
$(BUILD)/obj-work/device/nna/engine/arm/dotprod_%.o: override CFLAGS += $(ENGINE_DOTPROD_CFLAGS)
$(BUILD)/obj-work/device/nna/engine/arm/i8mm_%.o: override CFLAGS += $(ENGINE_I8MM_CFLAGS)
-include $(WORK_OBJS:.o=.d)
$(WORK_TESTS): $(WORK_OBJS)
$(WORK_TESTS): UNIT_LIBS := -lm -Wl,--wrap=memcpy,--wrap=memmove,--wrap=memset

# The server, and the control socket, against a model that only records what it is asked.
$(unit_transport)/test_vfu: $(filter-out %/control.o,$(TRANSPORT_OBJS)) $(HOST_OBJS)
$(unit_transport)/test_vfu: UNIT_LIBS := -lm
# Another model: that it links without the NNA's objects is a part of the test.
unit_toy := $(BUILD)/tests/unit/device/toy/test_toy
$(unit_toy): $(BUILD)/obj/tests/unit/device/toy/toy.o $(TRANSPORT_OBJS) $(HOST_OBJS)
$(unit_toy): UNIT_LIBS := -lm
# The NNA's table.
unit_model := $(BUILD)/tests/unit/device/nna/test_model
$(unit_model): $(BUILD)/obj/device/nna/model.o $(BUILD)/obj/device/models.o $(ETHOSU_OBJS) \
		$(LIBNNADEV)
$(unit_model): UNIT_LIBS := -lm
# The Ethos-U, with the NNA's engine alone.
ETHOSU_TESTS := $(call unit,device/ethosu)
UNIT_TESTS += $(ETHOSU_TESTS)
$(ETHOSU_TESTS): $(BUILD)/obj/tests/ethosu/machine.o $(ETHOSU_OBJS) $(ENGINE_OBJS) $(HOST_OBJS)
$(ETHOSU_TESTS): UNIT_LIBS := -lm
# What Vela has compiled, on a node in the test's process; and models on two devices.
VELA_TESTS := $(call unit,frontend/vela) $(call unit,frontend/split)
UNIT_TESTS += $(VELA_TESTS)
$(VELA_TESTS): $(BUILD)/obj/tests/ethosu/node.o $(BUILD)/obj/tests/ethosu/machine.o $(VELA_OBJS) \
	$(TFLITE_OBJS) $(ETHOSU_OBJS) $(NNACCEL_LIB)
$(VELA_TESTS): UNIT_LIBS := $(NNACCEL_LIBS)
# The command line, with all models.
unit_options := $(BUILD)/tests/unit/device/test_options
$(unit_options): $(patsubst %,$(BUILD)/obj/device/%.o,options models transport/control) \
	$(MODEL_OBJS) $(HOST_OBJS)
$(unit_options): UNIT_LIBS := -lm
$(unit_transport)/test_control: $(patsubst %,$(BUILD)/obj/device/transport/%.o,control listener)
$(unit_transport)/test_ranges: $(BUILD)/obj/device/transport/ranges.o
$(SANDBOX_TESTS): $(BUILD)/obj/sandbox/seccomp.o
$(unit_transport)/test_listener: $(BUILD)/obj/device/transport/listener.o

# What the library writes for an Ethos-U is judged by the model of it.
$(call unit,libnnaccel/backend/ethosu): $(BUILD)/obj/tests/ethosu/machine.o $(ETHOSU_OBJS)
# They see the library's inside, so they link the archive.
$(NNACCEL_TESTS): $(NNACCEL_LIB)
$(NNACCEL_TESTS): UNIT_LIBS := $(NNACCEL_LIBS)
$(TOOL_TESTS): $(TFLITE_OBJS) $(ONNX_OBJS) $(IMAGE_OBJS) $(NNACCEL_LIB)
$(TOOL_TESTS): UNIT_LIBS := $(NNACCEL_LIBS) $(IMAGE_LIBS)

$(DEMO_TESTS): $(patsubst %,$(BUILD)/obj/demo/%.o,network quantise range) $(TFLITE_OBJS) $(NNACCEL_LIB)
$(DEMO_TESTS): UNIT_LIBS := $(NNACCEL_LIBS)

# ONNX Runtime's provider: its exported functions alone, and its groups from the inside.
ORT_TESTS := $(call unit,frontend/ort)
UNIT_TESTS += $(ORT_TESTS)
$(BUILD)/tests/unit/frontend/ort/test_factory: $(ORT_LIB)
$(BUILD)/tests/unit/frontend/ort/test_partition: $(BUILD)/obj/frontend/ort/partition.o $(ONNX_OBJS) \
	$(NNACCEL_LIB)
$(BUILD)/tests/unit/frontend/ort/test_program $(BUILD)/tests/unit/frontend/ort/test_saved: $(ORT_OBJS) $(ONNX_OBJS) \
	$(NNACCEL_LIB)
$(ORT_TESTS): UNIT_LIBS := $(NNACCEL_LIBS) -Wl,-rpath,$(abspath $(BUILD)/lib)

# The delegate through its exported functions only.
$(DELEGATE_TESTS): $(DELEGATE_LIB)
$(DELEGATE_TESTS): UNIT_LIBS := -Wl,-rpath,$(abspath $(BUILD)/lib)

# LiteRT's libraries as LiteRT loads them, and the library as the judge.
LITERT_TESTS := $(call unit,frontend/litert)
UNIT_TESTS += $(LITERT_TESTS)
$(LITERT_TESTS): $(BUILD)/obj/frontend/litert/module.o $(TFLITE_OBJS) $(NNACCEL_LIB) | $(LITERT_LIBS)
$(LITERT_TESTS): UNIT_LIBS := $(NNACCEL_LIBS) -Wl,-rpath,$(abspath $(BUILD)/lib)

# A plug-in that is another build's, where the test looks for it.
unit_other_plugin := $(BUILD)/tests/unit/libnnaccel/winsys/other/libnnaccel-loopback.so
$(NNACCEL_SO_TESTS): $(NNACCEL_SO) | $(unit_other_plugin)
$(NNACCEL_SO_TESTS): UNIT_LIBS := -Wl,-rpath,$(abspath $(BUILD)/lib)
$(unit_other_plugin): $(BUILD)/obj/tests/unit/libnnaccel/winsys/plugin_other.o
	$(call say,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -shared -o $@ $^

# What the models of front ends allocate is counted: test_model has these functions of its own.
unit_wrap = $(patsubst %,-Wl$(comma)--wrap=%,$(1))
$(NNB_TESTS): $(HAL_COMMON_OBJS) $(NNACCEL_LIB)
$(NNB_TESTS): UNIT_LIBS := $(NNACCEL_LIBS)
$(BUILD)/tests/unit/hal-bridge/common/test_model: UNIT_LIBS += \
	$(call unit_wrap,malloc calloc realloc reallocarray free)

# What takes long between tiles.
$(BUILD)/tests/unit/device/nna/core/test_operand: UNIT_LIBS += \
	$(call unit_wrap,nnadev_mmu_range nnadev_mmu_read nnadev_mmu_write)

# What may take long in the kernel.
$(BUILD)/tests/unit/device/nna/core/test_mmu: UNIT_LIBS += $(call unit_wrap,munmap)

# What time it is.
$(BUILD)/tests/unit/device/nna/core/test_rate: UNIT_LIBS += $(call unit_wrap,clock_gettime)

# What waits in the kernel.
$(BUILD)/tests/unit/libnnaccel/winsys/loopback/test_bo: UNIT_LIBS += $(call unit_wrap,mmap munmap)

# Parcels and the codec, without a kernel or a device.
$(BINDER_TESTS): $(HAL_BINDER_OBJS) $(NNACCEL_MESSAGE_OBJS)

# The connection by libbinder_ndk, whose part the test plays.
NDK_TESTS := $(call unit,hal-bridge/binder/ndk)
UNIT_TESTS += $(NDK_TESTS)
unit_ndk := tests/unit/hal-bridge/binder/ndk
unit_ndk_binder := $(BUILD)/obj/$(unit_ndk)/binder.o
$(unit_ndk_binder) $(BUILD)/obj/$(unit_ndk)/test_binder.o: override CPPFLAGS += -I$(unit_ndk)
$(unit_ndk_binder): hal-bridge/binder/ndk/binder.c
	$(call say,CC)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<
-include $(unit_ndk_binder:.o=.d)
$(NDK_TESTS): $(unit_ndk_binder) $(BUILD)/obj/hal-bridge/binder/object.o \
	$(BUILD)/obj/libnnaccel/support/thread.o
$(NDK_TESTS): UNIT_LIBS := $(call unit_wrap,access clock_nanosleep)

# The HAL's service on the loopback, called by parcels in memory.
$(SERVICE_TESTS): $(HAL_SERVICE_OBJS) $(HAL_BINDER_OBJS) $(HAL_COMMON_OBJS) $(NNACCEL_LIB)
$(SERVICE_TESTS): UNIT_LIBS := $(NNACCEL_LIBS)
# What happens while a model is compiled.
$(BUILD)/tests/unit/hal-bridge/service/test_device: UNIT_LIBS += \
	$(call unit_wrap,nna_program_create_sized)

# libneuralnetworks.so through its exported functions only.
$(NNAPI_TESTS): $(NNAPI_LIB)
$(NNAPI_TESTS): UNIT_LIBS := -Wl,-rpath,$(abspath $(BUILD)/lib)
# Each runs the example of its name.
$(call unit,hal-bridge/examples): | $(NNAPI_EXAMPLES)

$(NNAPI_INSIDE_TESTS): $(NNAPI_OBJS) $(HAL_COMMON_OBJS) $(NNACCEL_LIB)
$(NNAPI_INSIDE_TESTS): UNIT_LIBS := $(NNACCEL_LIBS) $(call unit_wrap,nna_execution_compute \
	nna_execution_submit nna_fence_wait nna_program_create_sized)

# Fences that a test signals itself.
UNIT_FENCE_TESTS := $(BUILD)/tests/unit/libnnaccel/runtime/test_fence \
	$(BUILD)/tests/unit/libnnaccel/runtime/test_dependent \
	$(BUILD)/tests/unit/libnnaccel/runtime/test_cancel \
	$(BUILD)/tests/unit/hal-bridge/nnapi/test_fenced
$(UNIT_FENCE_TESTS): $(BUILD)/obj/demo/gate.o
$(BUILD)/tests/unit/hal-bridge/nnapi/test_fenced: UNIT_LIBS += $(NNACCEL_LIBS)

$(NNV_TESTS): $(filter-out %/conformance/main.o,$(NNV_OBJS)) $(nnv_binder)/none.o $(NNV_DEPS)
$(NNV_TESTS): UNIT_LIBS = $(NNV_LIBS) -Wl,-rpath,$(abspath $(BUILD)/lib)

$(UNIT_TESTS): $(BUILD)/tests/unit/%: $(BUILD)/obj/tests/unit/%.o
	$(call say,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(UNIT_LIBS) -lcmocka
