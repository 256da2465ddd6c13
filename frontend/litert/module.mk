# SPDX-License-Identifier: MIT
#
# The two libraries that LiteRT 2 loads: the compiler plug-in and the dispatch library. libnnaccel is
# linked in; the loopback is libnnaccel.so's plug-in, found beside them. LiteRT looks for them by the
# beginning of their names in a folder that is theirs alone, which has links to them.
LITERT_DIR := $(BUILD)/lib/litert
LITERT_PLUGIN_OBJS := $(patsubst %,$(BUILD)/obj/frontend/litert/%.o,plugin compile choice source options report \
	numbers module device)
LITERT_DISPATCH_OBJS := $(patsubst %,$(BUILD)/obj/frontend/litert/%.o,dispatch invocation context buffer \
	shared module device)
LITERT_LIBS := $(patsubst %,$(BUILD)/lib/libLiteRt%_NNAccel.so,CompilerPlugin Dispatch)
LIBRARIES += $(LITERT_LIBS)

# Both give their build's id to LiteRT.
LITERT_ID_USERS := $(patsubst %,$(BUILD)/obj/frontend/litert/%.o,plugin dispatch)
$(LITERT_ID_USERS): CPPFLAGS += -I$(BUILD)/gen
$(LITERT_ID_USERS): $(BUILD)/gen/nna_build_id.h

$(BUILD)/lib/libLiteRtCompilerPlugin_NNAccel.so: $(LITERT_PLUGIN_OBJS)
$(BUILD)/lib/libLiteRtDispatch_NNAccel.so: $(LITERT_DISPATCH_OBJS)
$(LITERT_LIBS): $(BUILD)/lib/%.so: frontend/litert/%.map $(TFLITE_OBJS) $(BUILD)/obj/libnnaccel/shared.a \
		| $(BUILD)/lib/nnaccel/libnnaccel-loopback.so
	$(call say,LD)
	@mkdir -p $(@D) $(LITERT_DIR)
	$(Q)$(CC) $(LDFLAGS) -shared -Wl,-soname,$(@F) -Wl,-z,now \
		$(if $(SANFLAGS),,-Wl$(comma)-z$(comma)defs) \
		-Wl,--version-script=$< -o $@ $(filter %.o,$^) $(filter %.a,$^) \
		$(NNACCEL_LIBS)
	$(Q)ln -sf ../$(@F) $(LITERT_DIR)/$(@F)

# The Python package, with copies that find libdrm beside them: a machine with pip alone may lack it.
LITERT_WHEEL_DIR := $(BUILD)/wheel/litert
LITERT_WHEEL_LIBS := $(LITERT_LIBS:$(BUILD)/lib/%=$(LITERT_WHEEL_DIR)/%)
$(LITERT_WHEEL_LIBS): $(LITERT_WHEEL_DIR)/%.so: $(BUILD)/lib/%.so
	$(call say,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -shared -s -Wl,-soname,$(@F) -Wl,-z,now -Wl,-z,defs -Wl,-rpath,'$$ORIGIN' \
		-Wl,--version-script=frontend/litert/$*.map -o $@ \
		$(if $(findstring Dispatch,$*),$(LITERT_DISPATCH_OBJS),$(LITERT_PLUGIN_OBJS)) \
		$(TFLITE_OBJS) $(BUILD)/obj/libnnaccel/shared.a $(NNACCEL_LIBS)

#. install: wheel-litert: the Python package nnaccel-litert, into build/wheels/
.PHONY: wheel-litert
wheel-litert: $(LITERT_WHEEL_LIBS) $(WHEEL_PLUGIN)
	$(call make_wheel,nnaccel-litert,"LiteRT's compiled models on the NNA accelerator",\
		frontend/litert/python/nnaccel_litert docs/litert.md,lib/,$(LITERT_WHEEL_LIBS))
