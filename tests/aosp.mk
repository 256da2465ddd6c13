# SPDX-License-Identifier: MIT
#
# AOSP's own code against the NN HAL: see tests/aosp/run, which sets OUT_NDK (libbinder_ndk's
# sources) and OUT_PLATFORM (where libbinder is built), and makes gen/ and cpp4/ before it asks for
# the programs.
#. test: check-hal-aosp: the NN HAL against Android's own libraries
.PHONY: check-hal-aosp
check-hal-aosp: all kernel $(BUILD)/tests/nnv_hal $(BUILD)/tests/hal/crash $(HAL_BINDER_OBJS) \
		$(NNACCEL_MESSAGE_OBJS)
	BUILD=$(BUILD) tests/aosp/run

AOSP_OUT := $(BUILD)/tests/aosp
AOSP_INCLUDES = -I. -I$(AOSP_OUT)/gen -I$(AOSP_OUT)/cpp4/include -I$(AOSP_OUT)/cpp4 \
	-I$(OUT_NDK)/include_ndk -I$(OUT_NDK)/include_cpp -I$(OUT_NDK)/include_platform

# The rest of libbinder_ndk stays unresolved, which only a static program may leave so.
$(AOSP_OUT)/codec: tests/aosp/codec.cpp $(BUILD)/obj/tests/aosp/values.o $(HAL_BINDER_OBJS) \
		$(NNACCEL_MESSAGE_OBJS)
	$(call say,LD)
	$(Q)$(CXX) -std=c++17 -O1 -w -pthread -D_Nonnull= -D_Nullable= -include cstring \
		$(AOSP_INCLUDES) -no-pie -static -Wl,--unresolved-symbols=ignore-all -o $@ $^

$(AOSP_OUT)/client: tests/aosp/client.cpp $(OUT_PLATFORM)/libplatform.a
	$(call say,LD)
	$(Q)clang++ -std=c++2b -O1 -w -pthread $(AOSP_INCLUDES) -o $@ $^

# nnaccel-hal on the backend that is built nowhere else.
AOSP_NDK_OBJS := $(patsubst hal-bridge/%.c,$(AOSP_OUT)/obj/%.o,$(wildcard hal-bridge/binder/ndk/*.c))
$(AOSP_NDK_OBJS): $(AOSP_OUT)/obj/%.o: hal-bridge/%.c
	$(call say,CC)
	@mkdir -p $(@D)
	$(Q)clang $(CPPFLAGS) $(CFLAGS) -isystem $(OUT_NDK)/include_ndk \
		-isystem $(OUT_NDK)/include_platform -c -o $@ $<

$(AOSP_OUT)/nnaccel-hal: $(HAL_PROGRAM_OBJS) $(HAL_SERVICE_OBJS) $(HAL_BINDER_OBJS) $(AOSP_NDK_OBJS) \
		$(HAL_COMMON_OBJS) $(BUILD)/lib/libnnaccel.a $(OUT_PLATFORM)/libplatform.a
	$(call say,LD)
	$(Q)$(CXX) -pthread -o $@ $^ $(NNACCEL_LIBS)
