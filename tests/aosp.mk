# SPDX-License-Identifier: MIT
#
# The HAL's codec against AOSP's own (tests/aosp/run, which sets OUT_NDK and makes gen/ and cpp4/
# before it asks for the program). The rest of libbinder_ndk stays unresolved, which only a static
# program may leave so.
.PHONY: check-hal-aosp
check-hal-aosp: $(HAL_BINDER_OBJS) $(BUILD)/obj/hal-bridge/common/log.o
	BUILD=$(BUILD) tests/aosp/run

AOSP_OUT := $(BUILD)/tests/aosp
$(AOSP_OUT)/codec: tests/aosp/codec.cpp $(BUILD)/obj/tests/aosp/values.o $(HAL_BINDER_OBJS) \
		$(BUILD)/obj/hal-bridge/common/log.o
	$(CXX) -std=c++17 -O1 -w -pthread -D_Nonnull= -D_Nullable= -include cstring -I. \
		-I$(AOSP_OUT)/gen -I$(AOSP_OUT)/cpp4/include -I$(AOSP_OUT)/cpp4 \
		-I$(OUT_NDK)/include_ndk -I$(OUT_NDK)/include_cpp -no-pie -static \
		-Wl,--unresolved-symbols=ignore-all -o $@ $^
