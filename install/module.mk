# SPDX-License-Identifier: MIT
#
# make install, uninstall, dist. What goes where is one list, INSTALL_FILES, whose entries are
# MODE:SOURCE:DESTINATION (install/put). It is included last, as it names what the others build.
#
# install-built makes what is to be installed, install-files puts it; debian/*.install deal it out to
# packages. DESTDIR is put in front of everything, to pack it. What other programs look for in one
# place only, whatever PREFIX is, has a variable of its own: udev's rules, systemd's units, DKMS's
# sources.

PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
SBINDIR ?= $(PREFIX)/sbin
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
DATADIR ?= $(PREFIX)/share
MANDIR ?= $(DATADIR)/man
COMPLETIONDIR ?= $(DATADIR)/bash-completion/completions
UDEVDIR ?= /usr/lib/udev/rules.d
UNITDIR ?= /usr/lib/systemd/system
DKMS_DIR ?= /usr/src/nna-$(VERSION)

install_out := $(BUILD)/install

INSTALL_LIBRARIES := \
	755:$(NNACCEL_SO):$(LIBDIR)/libnnaccel.so.$(VERSION) \
	link:libnnaccel.so.$(VERSION):$(LIBDIR)/$(notdir $(NNACCEL_SO)) \
	link:libnnaccel.so.$(VERSION):$(LIBDIR)/libnnaccel.so \
	644:$(NNACCEL_LIB):$(LIBDIR)/libnnaccel.a \
	755:$(NNACCEL_PLUGIN):$(LIBDIR)/nnaccel/$(notdir $(NNACCEL_PLUGIN)) \
	755:$(NNAPI_LIB):$(LIBDIR)/libneuralnetworks.so \
	755:$(DELEGATE_LIB):$(LIBDIR)/libnnaccel_delegate.so
INSTALL_HEADERS := \
	644:libnnaccel/include/nnaccel.h:$(INCLUDEDIR)/nnaccel.h \
	644:frontend/delegate/nnaccel_delegate.h:$(INCLUDEDIR)/nnaccel_delegate.h \
	$(foreach h,NeuralNetworks support_library nnaccel_ops, \
		644:hal-bridge/include/$h.h:$(INCLUDEDIR)/nnaccel/$h.h) \
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
INSTALL_UDEV := 644:kernel/packaging/60-nna.rules:$(UDEVDIR)/60-nna.rules
INSTALL_DKMS := $(foreach f,$(KERNEL_FILES),644:$f:$(DKMS_DIR)/$f) \
	644:$(install_out)/dkms.conf:$(DKMS_DIR)/dkms.conf
INSTALL_BUILT = $(INSTALL_LIBRARIES) $(INSTALL_HEADERS) $(INSTALL_PROGRAMS) $(INSTALL_UDEV) \
	$(INSTALL_DKMS)
INSTALL_FILES = $(INSTALL_BUILT) $(INSTALL_MANUAL)

# Known once the manual is made. What is about the service goes with it.
install_no_manual := $(if $(filter %/nnaccel-hal,$(INSTALL_PROGRAMS)),,nnaccel-hal.8)
INSTALL_MANUAL = $(foreach p,$(filter-out $(install_no_manual),$(shell cat $(MANUAL))), \
	644:$(dir $(MANUAL))$p:$(MANDIR)/man$(subst .,,$(suffix $p))/$p)

# What has to be there to be put: of MODE:SOURCE:DESTINATION the source, of links nothing.
install_sources = $(foreach f,$(filter-out link:%,$(1)),$(word 2,$(subst :, ,$f)))

#. install: install PREFIX= LIBDIR= DESTDIR=: libraries, programs, headers, manual, udev rule and DKMS sources
#. install: uninstall PREFIX= LIBDIR= DESTDIR=: take them away
#. install: install-dkms DESTDIR=: the driver's sources for every kernel that dkms knows, and the udev rule
#. install: install-udev DESTDIR=: the udev rule alone
#. install: install-files DESTDIR=: as install, without asking whether the machine has what it needs
#. install: install-built: build what install would put
#. install: dist: the committed sources, as build/nnaccel-VERSION.tar.xz
.PHONY: install uninstall install-files install-built install-dkms install-udev dist
install:
	@CC='$(CC)' install/needs '$(DESTDIR)$(PREFIX)'
	@$(MAKE) --no-print-directory install-files

install-built: $(call install_sources,$(INSTALL_BUILT)) $(MANUAL)

install-files: install-built
	@install/put install '$(DESTDIR)' $(INSTALL_FILES)

uninstall: $(MANUAL)
	@install/put uninstall '$(DESTDIR)' $(INSTALL_FILES)

# The driver's sources for every kernel that dkms knows, and the rule by itself.
install-dkms: $(call install_sources,$(INSTALL_DKMS) $(INSTALL_UDEV))
	@install/put install '$(DESTDIR)' $(INSTALL_DKMS) $(INSTALL_UDEV)

install-udev: $(call install_sources,$(INSTALL_UDEV))
	@install/put install '$(DESTDIR)' $(INSTALL_UDEV)

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
