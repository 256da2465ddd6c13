# SPDX-License-Identifier: MIT
#
# AOSP's libbinder, libbinder_ndk and what they need, as one library, and its servicemanager, built
# with clang from Debian's source package android-platform-tools. tests/aosp/run calls this with
#
#   SRC   where the package is unpacked
#   OUT   where to build
#   AIDL  the AIDL compiler
#   HERE  the folder of this file
BINDER := $(SRC)/frameworks/native/libs/binder
MANAGER := $(SRC)/frameworks/native/cmds/servicemanager
CXX := clang++

# Its own interfaces, of the service manager above all, as C++ of libbinder's.
INTERFACES := $(addprefix android/os/,ConnectionInfo IClientCallback IServiceCallback \
	IServiceManager ServiceDebugInfo)

SOURCES := \
	$(addprefix $(BINDER)/,Binder.cpp BpBinder.cpp BufferedTextOutput.cpp Debug.cpp \
		FdTrigger.cpp IInterface.cpp IPCThreadState.cpp IPermissionController.cpp \
		IResultReceiver.cpp IServiceManager.cpp LazyServiceRegistrar.cpp OS.cpp Parcel.cpp \
		ParcelFileDescriptor.cpp PermissionCache.cpp PermissionController.cpp \
		ProcessState.cpp RecordedTransaction.cpp RpcServer.cpp RpcSession.cpp RpcState.cpp \
		RpcTransportRaw.cpp ServiceManagerHost.cpp Stability.cpp Static.cpp Status.cpp \
		TextOutput.cpp Trace.cpp Utils.cpp UtilsHost.cpp) \
	$(addprefix $(BINDER)/ndk/,ibinder.cpp libbinder.cpp parcel.cpp process.cpp \
		service_manager.cpp stability.cpp status.cpp) \
	$(addprefix $(SRC)/system/libbase/,abi_compatibility.cpp chrono_utils.cpp errors_unix.cpp \
		file.cpp hex.cpp logging.cpp parsebool.cpp posix_strerror_r.cpp process.cpp \
		properties.cpp stringprintf.cpp strings.cpp threads.cpp) \
	$(addprefix $(SRC)/system/core/libutils/,Errors.cpp JenkinsHash.cpp LightRefBase.cpp \
		Looper.cpp Printer.cpp RefBase.cpp SharedBuffer.cpp StopWatch.cpp String16.cpp \
		String8.cpp StrongPointer.cpp SystemClock.cpp Threads.cpp Timers.cpp Unicode.cpp \
		VectorImpl.cpp misc.cpp) \
	$(addprefix $(SRC)/system/core/libcutils/,ashmem-host.cpp multiuser.cpp native_handle.cpp \
		properties.cpp trace-host.cpp) \
	$(addprefix $(SRC)/system/logging/liblog/,log_event_list.cpp log_event_write.cpp \
		logger_name.cpp logger_write.cpp properties.cpp) \
	$(INTERFACES:%=$(OUT)/aidl/%.cpp)
MANAGER_SOURCES := $(MANAGER)/ServiceManager.cpp $(MANAGER)/main.cpp $(HERE)/access.cpp

INCLUDES := $(BINDER)/include $(BINDER)/ndk $(BINDER)/ndk/include_cpp $(BINDER)/ndk/include_ndk \
	$(BINDER)/ndk/include_platform $(BINDER) $(OUT)/aidl/include $(MANAGER) \
	$(addprefix $(SRC)/,external/fmtlib/include frameworks/native/libs/binderthreadstate/include \
		system/core/include system/core/libcutils/include \
		system/core/libprocessgroup/include system/core/libsystem/include \
		system/core/libutils/include system/libbase/include system/logging/liblog/include)

# C++23 has the <stdatomic.h> that C++ can include.
FLAGS := -std=c++2b -O2 -w -fPIC -pthread -DBINDER_WITH_KERNEL_IPC -DLIBBINDER_NDK \
	-DFMT_HEADER_ONLY -include $(HERE)/platform.h $(INCLUDES:%=-I%)

object = $(OUT)/obj/$(subst /,_,$(basename $(1))).o
OBJECTS := $(foreach s,$(SOURCES),$(call object,$(s)))
MANAGER_OBJECTS := $(foreach s,$(MANAGER_SOURCES),$(call object,$(s)))

all: $(OUT)/libplatform.a $(OUT)/servicemanager

$(OUT)/libplatform.a: $(OBJECTS)
	rm -f $@
	ar crs $@ $^

# As on a partition of vendors' it asks no VINTF manifest what may be registered.
$(MANAGER_OBJECTS): FLAGS += -DVENDORSERVICEMANAGER=1
$(OUT)/servicemanager: $(MANAGER_OBJECTS) $(OUT)/libplatform.a
	$(CXX) -pthread -o $@ $^

# The strerror_r() of POSIX; GNU's has another type.
$(call object,$(SRC)/system/libbase/posix_strerror_r.cpp): \
	FLAGS := -std=c++17 -w -fPIC -U_GNU_SOURCE -D_POSIX_C_SOURCE=200809L \
		-I$(SRC)/system/libbase/include

define rule
$(call object,$(1)): $(1) $(OUT)/aidl/done
	@mkdir -p $$(@D)
	$(CXX) $$(FLAGS) -c -o $$@ $$<
endef
$(foreach s,$(SOURCES) $(MANAGER_SOURCES),$(eval $(call rule,$(s))))

$(INTERFACES:%=$(OUT)/aidl/%.cpp): $(OUT)/aidl/done
$(OUT)/aidl/done:
	$(AIDL) --lang=cpp --structured -I $(BINDER)/aidl -o $(OUT)/aidl -h $(OUT)/aidl/include \
		$(INTERFACES:%=$(BINDER)/aidl/%.aidl)
	touch $@
