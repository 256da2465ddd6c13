# SPDX-License-Identifier: MIT
#
# Real models (tests/models).
TESTS += $(BUILD)/tests/test_models

$(BUILD)/tests/test_models: $(BUILD)/obj/tests/models/test_models.o $(TFLITE_OBJS) $(IMAGE_OBJS) \
		$(BUILD)/lib/libnnaccel.a
	$(call say,LD)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(NNACCEL_LIBS) $(IMAGE_LIBS)
