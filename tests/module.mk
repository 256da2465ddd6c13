# SPDX-License-Identifier: MIT
#
# Tests of user space; each area brings its own tests/<area>.mk or tests/<area>/module.mk.
-include $(filter-out tests/module.mk,$(sort $(wildcard tests/*.mk tests/*/module.mk)))
