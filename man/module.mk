# SPDX-License-Identifier: MIT
#
# The manual, in $(BUILD)/man: MANUAL lists its pages.
MANUAL := $(BUILD)/man/list

#. build: man: the manual's pages, into build/man/
.PHONY: man
man: $(MANUAL)
$(MANUAL): man/generate.py VERSION $(wildcard man/*.[0-9] libnnaccel/ops/*.[ch] tools/nnactl/*.c) \
		libnnaccel/include/nnaccel.h libnnaccel/libnnaccel.map $(wildcard libnnaccel/support/*.[ch])
	$(call say,GEN)
	@mkdir -p $(@D)
	$(Q)man/generate.py $(VERSION) $(@D) $(CC) -E $(CPPFLAGS) -std=c11
