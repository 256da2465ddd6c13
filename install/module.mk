# SPDX-License-Identifier: MIT
#
# make install, uninstall, dist. What goes where is one list, INSTALL_FILES, whose entries are
# MODE:SOURCE:DESTINATION (install/put). It is included last, as it names what the others build.
#
# install-built makes what is to be installed, install-files puts it; debian/*.install deal it out to
# packages. DESTDIR is put in front of everything, to pack it.
#
# All of it lies below PREFIX, which a user need not be root for. What other programs look for in
# places of their own has a variable: udev's rules, systemd's units, DKMS's sources. install/after
# says what is to be done where they do not look below PREFIX. install-dkms, install-udev and
# modules_install are for the system: without a PREFIX theirs is /usr.

PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
SBINDIR ?= $(PREFIX)/sbin
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
DATADIR ?= $(PREFIX)/share
MANDIR ?= $(DATADIR)/man
COMPLETIONDIR ?= $(DATADIR)/bash-completion/completions
UNITDIR ?= $(PREFIX)/lib/systemd/system
install_system := $(if $(filter file,$(origin PREFIX)),/usr,$(PREFIX))
install_udevdir := $(or $(UDEVDIR),$(install_system)/lib/udev/rules.d)
install_dkms_dir := $(or $(DKMS_DIR),$(install_system)/src/nna-$(VERSION))
UDEVDIR ?= $(PREFIX)/lib/udev/rules.d
DKMS_DIR ?= $(PREFIX)/src/nna-$(VERSION)

install_out := $(BUILD)/install

INSTALL_LIBRARIES := \
	755:$(NNACCEL_SO):$(LIBDIR)/libnnaccel.so.$(VERSION) \
	link:libnnaccel.so.$(VERSION):$(LIBDIR)/$(notdir $(NNACCEL_SO)) \
	link:libnnaccel.so.$(VERSION):$(LIBDIR)/libnnaccel.so \
	644:$(NNACCEL_LIB):$(LIBDIR)/libnnaccel.a \
	755:$(NNACCEL_PLUGIN):$(LIBDIR)/nnaccel/$(notdir $(NNACCEL_PLUGIN)) \
	755:$(NNAPI_LIB):$(LIBDIR)/libneuralnetworks.so \
	755:$(DELEGATE_LIB):$(LIBDIR)/libnnaccel_delegate.so \
	755:$(ORT_LIB):$(LIBDIR)/$(notdir $(ORT_LIB)) \
	$(foreach l,$(notdir $(LITERT_LIBS)),755:$(BUILD)/lib/$l:$(LIBDIR)/$l \
		link:../../$l:$(LIBDIR)/nnaccel/litert/$l)
INSTALL_HEADERS := \
	644:libnnaccel/include/nnaccel.h:$(INCLUDEDIR)/nnaccel.h \
	644:frontend/delegate/nnaccel_delegate.h:$(INCLUDEDIR)/nnaccel_delegate.h \
	$(foreach h,NeuralNetworks support_library nnaccel_ops, \
		644:hal-bridge/include/$h.h:$(INCLUDEDIR)/nnaccel/$h.h) \
	link:../NeuralNetworks.h:$(INCLUDEDIR)/nnaccel/android/NeuralNetworks.h \
	644:uapi/drm/nna_accel.h:$(INCLUDEDIR)/nnaccel/drm/nna_accel.h \
	$(foreach p,nnaccel neuralnetworks,644:$(install_out)/$p.pc:$(LIBDIR)/pkgconfig/$p.pc)
INSTALL_PROGRAMS := \
	755:$(BUILD)/bin/nnactl:$(BINDIR)/nnactl \
	755:$(BUILD)/bin/nna-device:$(BINDIR)/nna-device \
	644:install/nnactl.bash:$(COMPLETIONDIR)/nnactl
# The NN HAL's service, where libgbinder is the system's and not one that the tests have unpacked.
ifneq ($(and $(GBINDER_LIBS),$(if $(gbinder_root),,yes)),)
INSTALL_PROGRAMS += \
	755:$(HAL_PROGRAM):$(SBINDIR)/nnaccel-hal \
	644:$(install_out)/nnaccel-hal.service:$(UNITDIR)/nnaccel-hal.service
endif
# Both take the folder.
install_udev = 644:kernel/packaging/60-nna.rules:$(1)/60-nna.rules
install_dkms = $(foreach f,$(KERNEL_FILES),644:$f:$(1)/$f) 644:$(install_out)/dkms.conf:$(1)/dkms.conf
INSTALL_BUILT = $(INSTALL_LIBRARIES) $(INSTALL_HEADERS) $(INSTALL_PROGRAMS) \
	$(call install_udev,$(UDEVDIR)) $(call install_dkms,$(DKMS_DIR))
INSTALL_FILES = $(INSTALL_BUILT) $(INSTALL_MANUAL)

# Known once the manual is made. What is about the service goes with it.
install_no_manual := $(if $(filter %/nnaccel-hal,$(INSTALL_PROGRAMS)),,nnaccel-hal.8)
INSTALL_MANUAL = $(foreach p,$(filter-out $(install_no_manual),$(shell cat $(MANUAL))), \
	644:$(dir $(MANUAL))$p:$(MANDIR)/man$(subst .,,$(suffix $p))/$p)

# What has to be there to be put: of MODE:SOURCE:DESTINATION the source, of links nothing.
install_sources = $(foreach f,$(filter-out link:%,$(1)),$(word 2,$(subst :, ,$f)))
# The folders they go to.
install_folders = $(patsubst %/,%,$(sort $(dir $(foreach f,$(1),$(lastword $(subst :, ,$f))))))

#. install: install PREFIX= LIBDIR= DESTDIR= UDEVDIR= UNITDIR= DKMS_DIR=: libraries, programs, headers, manual, udev rule and DKMS sources, all below PREFIX (/usr/local)
#. install: uninstall PREFIX= LIBDIR= DESTDIR= UDEVDIR= UNITDIR= DKMS_DIR=: take them away
#. install: install-dkms DESTDIR=: the driver's sources for every kernel that dkms knows, and the udev rule
#. install: install-udev DESTDIR=: the udev rule alone
#. install: install-files DESTDIR=: as install, without asking whether the machine has what it needs
#. install: install-built: build what install would put
#. install: dist: the committed sources, as build/nnaccel-VERSION.tar.xz
.PHONY: install uninstall install-files install-built install-dkms install-udev dist
install:
	@CC='$(CC)' install/needs $(addprefix $(DESTDIR),$(call install_folders,$(INSTALL_BUILT)) $(MANDIR))
	@$(MAKE) --no-print-directory install-files

install-built: $(call install_sources,$(INSTALL_BUILT)) $(MANUAL)

install-files: install-built
	@install/put install '$(DESTDIR)' $(INSTALL_FILES)
	@[ -n '$(DESTDIR)' ] || install/after '$(LIBDIR)' '$(DKMS_DIR)' \
		$(if $(filter %/nnaccel-hal,$(INSTALL_PROGRAMS)),,nnaccel-hal)

uninstall: $(MANUAL)
	@install/put uninstall '$(DESTDIR)' $(INSTALL_FILES)

# The driver's sources for every kernel that dkms knows, and the rule by itself.
install_for_dkms = $(call install_dkms,$(install_dkms_dir)) $(call install_udev,$(install_udevdir))
install-dkms: $(call install_sources,$(install_for_dkms))
	@install/put install '$(DESTDIR)' $(install_for_dkms)

install-udev:
	@install/put install '$(DESTDIR)' $(call install_udev,$(install_udevdir))

# They say where things are, which may be elsewhere next time.
#. internal: install-again: files that say where things are
.PHONY: install-again
$(install_out)/%.pc: install/%.pc.in install-again
	$(call say,GEN)
	@mkdir -p $(@D)
	$(Q)sed -e 's,@PREFIX@,$(PREFIX),; s,@LIBDIR@,$(LIBDIR),; s,@INCLUDEDIR@,$(INCLUDEDIR),' \
		-e 's,@VERSION@,$(VERSION),' $< >$@
$(install_out)/dkms.conf: kernel/packaging/dkms.conf VERSION
	$(call say,GEN)
	@mkdir -p $(@D)
	$(Q)sed 's,@VERSION@,$(VERSION),' $< >$@
$(install_out)/nnaccel-hal.service: hal-bridge/service/nnaccel-hal.service install-again
	$(call say,GEN)
	@mkdir -p $(@D)
	$(Q)sed 's,/usr/sbin/,$(SBINDIR)/,' $< >$@

# The sources as they are committed.
dist:
	@git rev-parse --verify -q HEAD >/dev/null || { \
		echo 'make dist: this is no git tree: what it would pack is unpacked already' >&2; exit 1; }
	@mkdir -p $(BUILD)
	git archive --prefix=nnaccel-$(VERSION)/ HEAD | xz -9 >$(BUILD)/nnaccel-$(VERSION).tar.xz
