# SPDX-License-Identifier: MIT
#
# The manual, in $(BUILD)/man: MANUAL lists its pages.
MANUAL := $(BUILD)/man/list

.PHONY: man
man: $(MANUAL)
$(MANUAL): man/generate.py VERSION $(wildcard man/*.[0-9] libnnaccel/ops/*.[ch] tools/nnactl/*.c) \
		libnnaccel/include/nnaccel.h libnnaccel/libnnaccel.map libnnaccel/graph/operation_list.h
	@mkdir -p $(@D)
	man/generate.py $(VERSION) $(@D) $(CC) -E $(CPPFLAGS) -std=c11
