# SPDX-License-Identifier: MIT
#
# nnaccel: one non-recursive makefile. Each directory adds its part in <dir>/module.mk.
#
# A line "#. GROUP: TARGET [VARIABLE=]: TEXT" beside a rule documents a target that a person calls. `make help`
# prints these lines by group; the group "internal" is for targets that only other rules need. tests/help fails
# for a phony target without such a line.
#
#. build: all: the libraries and programs, without tests, into build/ (the default)
#. build: V=1: any target, with every command as it is run
#. build: SAN=1: any target under AddressSanitizer and UBSan, into build-asan/; SAN=thread: ThreadSanitizer
#. build: CC=, OPT=, BUILD=: the compiler, its optimisation, another folder than build/
#. build: clean: remove what was built

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

# A command is shown as one line; V=1 shows it as it is run, and -s nothing.
ifeq ($(V),1)
Q :=
say =
else
Q := @
say = $(if $(findstring s,$(filter-out --%,$(firstword -$(MAKEFLAGS)))),,@printf '  %-6s %s\n' '$(1)' '$@')
endif

# The recipe of an object.
define compile
$(call say,CC)
@mkdir -p $(@D)
$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<
endef

# Each module.mk adds to these.
PROGRAMS :=
LIBRARIES :=
UNIT_TESTS :=
TESTS :=
CLEAN :=

# Tests and installation come last: they ask for what the others name.
include $(filter-out tests/% install/%,$(sort $(wildcard */module.mk))) tests/module.mk install/module.mk

.PHONY: all tests unit clean
all: $(LIBRARIES) $(PROGRAMS)

#. test: tests: build every test program of user space, into build/tests/
tests: $(UNIT_TESTS) $(TESTS)

# Each of some 280 test programs has the library and the engine in it. The debug information of those stays in the
# product's programs and objects; make TEST_DEBUG=1 links a test with its own copy, for a debugger.
ifeq ($(SANFLAGS)$(TEST_DEBUG),)
$(BUILD)/tests/%: private override LDFLAGS += -Wl,--strip-debug
endif

# One object rule for all of user space; a module.mk may set CPPFLAGS/CFLAGS per target.
$(BUILD)/obj/%.o: %.c
	$(compile)

$(VERSION_USERS): CPPFLAGS += -I$(BUILD)/gen
$(VERSION_USERS): $(BUILD)/gen/nna_version.h
$(BUILD)/gen/nna_version.h: VERSION
	@mkdir -p $(@D)
	@printf '#define NNA_VERSION "%s"\n' '$(VERSION)' >$@

#. test: unit: build and run the unit tests; each program prints its own cases
unit: $(UNIT_TESTS)
	@set -e; for t in $(UNIT_TESTS); do echo "# $$t"; timeout 600 $$t; done

#. test: check: set up, build, and run every test but the long ones; ends with "N passed, N failed, N skipped"
#. test: check-long: longer random tests, the newest kernel, KCSAN, packages: hours
#. test: check-debug: the driver on a kernel with all checks, which is built first: a quarter of an hour
#
# Set-up comes first and in a make of its own: on a fresh machine the libraries that the fragments ask
# pkg-config for are not there before it.
.PHONY: check
check:
	vm/setup
	$(MAKE) -j2 all tests kernel kernel-render kernel-soc-6.12 selftests
	BUILD=$(BUILD) tests/check

.PHONY: check-long check-debug
check-long:
	vm/setup
	vm/setup --kernel newest
	vm/setup --kernel kcsan
	$(MAKE) -j2 all tests kernel kernel-render kernel-soc selftests kernel-newest kernel-kcsan
	BUILD=$(BUILD) tests/check long

check-debug:
	vm/setup --kernel debug
	$(MAKE) -j2 all tests selftests kernel-debug
	BUILD=$(BUILD) tests/check debug

clean:
	rm -rf build build-asan build-tsan $(CLEAN)

#. build: help: this list
.PHONY: help
help:
	@awk -f tests/help.awk $(filter %Makefile %.mk,$(MAKEFILE_LIST))

# A goal that no rule has: one line with the targets there are. It begins as make's own line does, by
# which debhelper finds out whether there is a target.
HELP_GOALS := $(strip $(foreach g,$(MAKECMDGOALS),$(if $(findstring /,$g),,$g)))
# --eval may bring rules of its own.
ifneq ($(and $(HELP_GOALS),$(if $(findstring --eval,$(MAKEFLAGS)),,1)),)
HELP_TARGETS := $(shell awk -v names=1 -f tests/help.awk $(filter %Makefile %.mk,$(MAKEFILE_LIST)) 2>/dev/null)
HELP_UNKNOWN := $(filter-out $(HELP_TARGETS),$(HELP_GOALS))
ifneq ($(and $(HELP_TARGETS),$(HELP_UNKNOWN)),)
$(error No rule to make target '$(firstword $(HELP_UNKNOWN))'. There are $(shell awk -v names=public -f tests/help.awk $(filter %Makefile %.mk,$(MAKEFILE_LIST))); make help explains them)
endif
endif

-include $(shell find $(BUILD)/obj -name '*.d' 2>/dev/null)
