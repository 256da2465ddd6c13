# SPDX-License-Identifier: MIT
#
# `make kernel`: nna.ko for the stock kernel that vm/setup got, in $(BUILD)/kernel; KDIR= for
# another one. The sources are copied there, so that kbuild's files stay out of the tree.
#
# `make kunit`: the driver's unit tests, on User-Mode Linux; kernel/kunit --kernel debug: on that
# one, in a VM. `make graft KSRC=`: the driver into a kernel tree.

KERNEL_OUT := $(BUILD)/kernel
# More for kbuild's command line: configuration that a kernel tree has from Kconfig.
KERNEL_CONFIG :=
KERNEL_FILES := $(wildcard kernel/*.[ch] kernel/Kbuild kernel/Makefile kernel/compat/*) uapi/drm/nna_accel.h
ifneq ($(filter CONFIG_DRM_ACCEL_NNA_KUNIT_TEST=y,$(KERNEL_CONFIG)),)
KERNEL_FILES += $(wildcard kernel/tests/*.[ch])
endif

#. kernel: kernel KDIR=: build nna.ko for the stock kernel of vm/setup, or another one
.PHONY: kernel
kernel: $(KERNEL_OUT)/nna.ko

# The kernel that it was built for. For another one all is built anew.
#. internal: kernel-kdir: the kernel that nna.ko was built for
.PHONY: kernel-kdir
$(KERNEL_OUT)/kdir: kernel-kdir | vm/setup
	@mkdir -p $(@D)
	@set -e; kdir='$(KDIR)'; \
	if [ -z "$$kdir" ]; then eval "$$(vm/setup --print)"; kdir=$$NNA_KDIR; fi; \
	[ -e "$$kdir/Makefile" ] || { \
		echo "make kernel: KDIR=$$kdir is no folder to build modules in: install linux-headers," \
			"or say another" >&2; exit 1; }; \
	if ! echo "$$kdir" | cmp -s - $@; then rm -rf $(KERNEL_OUT)/src; echo "$$kdir" >$@; fi

$(KERNEL_OUT)/nna.ko: $(KERNEL_FILES) $(KERNEL_OUT)/kdir
	$(call say,KBUILD)
	@mkdir -p $(KERNEL_OUT)/src
	@cp -ru --parents $(KERNEL_FILES) $(KERNEL_OUT)/src/
	@$(MAKE) -s -C $(KERNEL_OUT)/src/kernel KDIR="$$(cat $(KERNEL_OUT)/kdir)" W=1 $(KERNEL_CONFIG) modules
	$(Q)cp $(KERNEL_OUT)/src/kernel/nna.ko $@

#. kernel: kunit: the driver's unit tests on User-Mode Linux, which is built first: about 18 minutes, once
#. kernel: graft KSRC=: put the driver into an unpacked kernel tree
.PHONY: kunit graft
kunit:
	@BUILD='$(abspath $(BUILD))' kernel/kunit

# Static checks, and builds for other architectures, built in and as a module.
#. kernel: kernel-lint: sparse, smatch, checkpatch and the like
#. kernel: kernel-cross: builds for other architectures
.PHONY: kernel-lint kernel-cross
kernel-lint:
	@BUILD='$(abspath $(BUILD))' kernel/lint

kernel-cross:
	@BUILD='$(abspath $(BUILD))' kernel/cross

graft:
	@[ -n '$(KSRC)' ] || { echo 'make graft: say KSRC=, an unpacked kernel tree' >&2; exit 1; }
	@kernel/graft '$(KSRC)'

#. kernel: series KSRC= SERIES=: the driver as a series of patches
.PHONY: series
SERIES ?= $(BUILD)/series
series:
	@[ -n '$(KSRC)' ] || { echo 'make series: say KSRC=, an unpacked kernel tree' >&2; exit 1; }
	@kernel/series '$(KSRC)' '$(SERIES)'

# The driver for the kernels of check-long and check-debug, each in a directory of its own. For the
# latter also with its unit tests, and nna_splat.ko, which does what such a kernel reports.
#. kernel: kernel-newest: nna.ko for the newest kernel of the distribution's backports
#. kernel: kernel-debug: nna.ko for the kernel with all checks (vm/setup --kernel debug)
#. kernel: kernel-kcsan: nna.ko for the kernel with KCSAN (vm/setup --kernel kcsan)
.PHONY: kernel-newest kernel-debug kernel-kcsan
kernel-newest:
	@set -e; eval "$$(vm/setup --kernel newest --no-packages --print)"; \
	$(MAKE) KERNEL_OUT=$(BUILD)/kernel-newest KDIR="$$NNA_KDIR" kernel

#. kernel: kernel-render: nna.ko with a render node, as kernels without CONFIG_DRM_ACCEL have it
.PHONY: kernel-render
kernel-render:
	@$(MAKE) KERNEL_OUT=$(BUILD)/kernel-render KERNEL_CONFIG=CONFIG_DRM_ACCEL_NNA_RENDER=y kernel

# For 64-bit Arm, each in build/kernel-arm64-NAME, where vm/run --arch arm64 looks for it.
#. kernel: kernel-arm64: nna.ko for the stock kernels of arm64: 6.12, 6.12-16k and newest
#. internal: kernel-arm64-6.12: the first of them
#. internal: kernel-arm64-6.12-16k: the second, for pages of 16 KiB
#. internal: kernel-arm64-newest: the third
#. kernel: kernel-gki: a kernel as Android's GKI, built first, twice twenty minutes, and nna.ko for it, with pages of 4 and of 16 KiB
#. kernel: kernel-64k: a kernel of arm64 with pages of 64 KiB, built first, twenty minutes, and nna.ko for it, also with its unit tests
#. internal: kernel-arm64-gki: the first of the former
#. internal: kernel-arm64-gki-16k: the second of them
#. internal: kernel-arm64-64k: the latter without the unit tests
ARM64_KERNELS := 6.12 6.12-16k newest
ARM64_BUILT := gki gki-16k 64k
.PHONY: kernel-arm64 kernel-gki kernel-64k $(patsubst %,kernel-arm64-%,$(ARM64_KERNELS) $(ARM64_BUILT))
kernel-arm64: $(ARM64_KERNELS:%=kernel-arm64-%)
kernel-gki: kernel-arm64-gki kernel-arm64-gki-16k

$(patsubst %,kernel-arm64-%,$(ARM64_KERNELS) $(ARM64_BUILT)): kernel-arm64-%:
	@set -e; settings=$$(vm/setup --arch arm64 --kernel $* --print); eval "$$settings"; \
	$(MAKE) KERNEL_OUT=$(BUILD)/$@ KDIR="$$NNA_KDIR" KERNEL_CONFIG="$$NNA_KERNEL_MAKE" kernel

kernel-64k: kernel-arm64-64k
	@set -e; settings=$$(vm/setup --arch arm64 --kernel 64k --print); eval "$$settings"; \
	$(MAKE) KERNEL_OUT=$(BUILD)/kernel-arm64-64k-kunit KDIR="$$NNA_KDIR" \
		KERNEL_CONFIG="$$NNA_KERNEL_MAKE CONFIG_DRM_ACCEL_NNA_KUNIT_TEST=y" kernel

# A SoC around the device of a VM, for vm/run --platform: selftests/soc/nna_soc.c.
#. kernel: kernel-soc: nna_soc.ko for the stock kernel and the newest, with which the platform driver is tested
#. internal: kernel-soc-6.12: the first of them
#. internal: kernel-soc-newest: the second
SOC_FILES := selftests/soc/Makefile selftests/soc/nna_soc.c kernel/ethosu-pci/dma_parent.h kernel/nna_regs.h
.PHONY: kernel-soc kernel-soc-6.12 kernel-soc-newest
kernel-soc: kernel-soc-6.12 kernel-soc-newest

kernel-soc-6.12 kernel-soc-newest: kernel-soc-%:
	@set -e; eval "$$(vm/setup --kernel $* --no-packages --print)"; \
	mkdir -p $(BUILD)/soc-$*; \
	cp -u $(SOC_FILES) $(BUILD)/soc-$*/; \
	$(MAKE) -s -C "$$NNA_KDIR" M='$(abspath $(BUILD))/soc-$*' W=1 modules

kernel-kcsan:
	@set -e; eval "$$(vm/setup --kernel kcsan --no-packages --print)"; \
	$(MAKE) KERNEL_OUT=$(BUILD)/kernel-kcsan KDIR="$$NNA_KDIR" kernel

kernel-debug:
	@set -e; eval "$$(vm/setup --kernel debug --no-packages --print)"; \
	$(MAKE) KERNEL_OUT=$(BUILD)/kernel-debug KDIR="$$NNA_KDIR" kernel; \
	$(MAKE) KERNEL_OUT=$(BUILD)/kernel-debug-kunit KDIR="$$NNA_KDIR" \
		KERNEL_CONFIG=CONFIG_DRM_ACCEL_NNA_KUNIT_TEST=y kernel; \
	mkdir -p $(BUILD)/splat; \
	cp -u selftests/splat/Makefile selftests/splat/nna_splat.c $(BUILD)/splat/; \
	$(MAKE) -s -C "$$NNA_KDIR" M='$(abspath $(BUILD)/splat)' W=1 modules

# For the kernel of KDIR= or the stock one, into DESTDIR. install-dkms (install/module.mk) is for every
# kernel.
#. kernel: modules_install KDIR= DESTDIR=: nna.ko where that kernel looks for modules
.PHONY: modules_install
modules_install: kernel install-udev
	@set -e; kdir='$(KDIR)'; \
	if [ -z "$$kdir" ]; then eval "$$(vm/setup --no-packages --print)"; kdir=$$NNA_KDIR; fi; \
	$(MAKE) -s -C $(KERNEL_OUT)/src/kernel KDIR="$$kdir" INSTALL_MOD_PATH='$(DESTDIR)' modules_install
