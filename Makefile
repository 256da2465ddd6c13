# SPDX-License-Identifier: MIT
#
# nnaccel: one non-recursive makefile. Each directory adds its part in <dir>/module.mk.
#
#   make            everything for user space, into build/
#   make check      set-up, build, unit tests, conformance, models, and the VM tests
#   make check-long, check-debug   what takes longer: random tests, the newest kernel, loops; a kernel with all checks
#   make demo       a real photo through a real network on the NNA, in a VM
#   make install    libraries, programs, headers, manual, udev rule and DKMS sources, below PREFIX=/usr/local (LIBDIR=,
#                   DESTDIR=); make uninstall takes them away
#   make dist       the sources that are committed, as build/nnaccel-VERSION.tar.xz
#   make help       this list
#   make SAN=1 ...  the same under AddressSanitizer and UBSan, into build-asan/; SAN=thread: ThreadSanitizer

SHELL := /bin/bash
.DELETE_ON_ERROR:
.SUFFIXES:
.DEFAULT_GOAL := all

ifeq ($(SAN),1)
BUILD ?= build-asan
SANFLAGS := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
# LeakSanitizer crashes over variables of a thread that a plug-in, opened with dlopen(), has.
SANFLAGS += -ftls-model=initial-exec
else ifeq ($(SAN),thread)
BUILD ?= build-tsan
SANFLAGS := -fsanitize=thread -fno-omit-frame-pointer
else
BUILD ?= build
SANFLAGS :=
endif

CC ?= gcc
OPT ?= -O2
WARN := -Wall -Wextra -Wno-unused-parameter -Wmissing-prototypes -Wstrict-prototypes
CPPFLAGS += -D_GNU_SOURCE -Iuapi -Ilibnnaccel/include -I.
CFLAGS ?= $(OPT) -g
override CFLAGS += -std=c11 $(WARN) -fvisibility=hidden -fPIC -ffp-contract=off -pthread $(SANFLAGS)
LDFLAGS += -pthread $(SANFLAGS)

# One version for all of it: VERSION. What says it includes nna_version.h and is in VERSION_USERS.
VERSION := $(shell cat VERSION)
VERSION_USERS :=

# Each module.mk adds to these.
PROGRAMS :=
LIBRARIES :=
UNIT_TESTS :=
TESTS :=
CLEAN :=

# Tests and installation come last: they ask for what the others name.
include $(filter-out tests/% install/%,$(sort $(wildcard */module.mk))) tests/module.mk install/module.mk

ALL_TARGETS := $(LIBRARIES) $(PROGRAMS) $(UNIT_TESTS) $(TESTS)

.PHONY: all unit clean
all: $(ALL_TARGETS)

# One object rule for all of user space; a module.mk may set CPPFLAGS/CFLAGS per target.
$(BUILD)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(VERSION_USERS): CPPFLAGS += -I$(BUILD)/gen
$(VERSION_USERS): $(BUILD)/gen/nna_version.h
$(BUILD)/gen/nna_version.h: VERSION
	@mkdir -p $(@D)
	@printf '#define NNA_VERSION "%s"\n' '$(VERSION)' >$@

# Runs every unit test program; each prints its own cases.
unit: $(UNIT_TESTS)
	@set -e; for t in $(UNIT_TESTS); do echo "# $$t"; timeout 600 $$t; done

# Set-up comes first and in a make of its own: on a fresh machine the libraries that the fragments ask
# pkg-config for are not there before it.
.PHONY: check
check:
	vm/setup
	$(MAKE) -j2 all kernel selftests
	BUILD=$(BUILD) tests/check

# What takes longer, and the same on other kernels. The one with all checks is built first, once, which takes a
# quarter of an hour.
.PHONY: check-long check-debug
check-long:
	vm/setup
	vm/setup --kernel newest
	vm/setup --kernel kcsan
	$(MAKE) -j2 all kernel selftests kernel-newest kernel-kcsan
	BUILD=$(BUILD) tests/check long

check-debug:
	vm/setup --kernel debug
	$(MAKE) -j2 all selftests kernel-debug
	BUILD=$(BUILD) tests/check debug

clean:
	rm -rf build build-asan build-tsan $(CLEAN)

-include $(shell find $(BUILD)/obj -name '*.d' 2>/dev/null)
