# SPDX-License-Identifier: MIT
#
# Functions for messages, and the layout of the cache; vm/* and kernel/* source this file.
#
# The cache holds downloads of the distribution, and the results of long builds:
#
#   qemu/VERSION/        an extracted QEMU with its own C library; qemu-arm64/ the one for arm64
#   root-arm64/VERSION/  what guests of arm64 have in /usr, with headers and libraries
#   gbinder/VERSION/     an extracted libgbinder, for machines whose release has none
#   kernel/RELEASE/      an extracted kernel package: boot/, lib/modules/, headers, kbuild tools
#   source/VERSION/      an unpacked kernel source, which no script writes to
#   built/NAME-KEY/      a kernel built from it as vm/config/NAME describes: out/ is kbuild's; uml
#                        also has source/, a hard-linked copy with the driver grafted in
#   cross/               the source with the driver grafted in, and the builds of kernel/cross
#   debian/              base systems and packages for tests/install/debian
#   initramfs/           one image per kernel release and contents of vm/init
#   stamp.NAME           shell variables for each item above: its version and its paths
#   apt/                 private package lists, apart from the machine's own apt

NNA_TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
NNA_CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/nnaccel
NNA_QEMU_MIN=10.1

# kernel_config NAME: the options of vm/config/NAME. A file whose comment begins with "On top of
# OTHER:" inherits the options of OTHER and may override them; allnoconfig has none.
kernel_config() {
	local file=$NNA_TOP/vm/config/$1 base
	[ "$1" != allnoconfig ] || return 0
	base=$(sed -n 's/^# On top of \([a-z0-9-]*\): .*/\1/p' "$file")
	[ -z "$base" ] ||
		kernel_config "$base" |
			awk -F= 'FNR == NR { own[$1]; next } !($1 in own)' "$file" -
	grep -v '^#' "$file"
}

# kernel_names ARCH: the kernels that vm/setup knows for it; fails for another architecture.
kernel_names() {
	case $1 in
	amd64) echo 6.12, newest, debug, kcsan, uml, source, newest-source ;;
	arm64) echo 6.12, 6.12-16k, newest, gki, gki-16k, 64k ;;
	*) return 1 ;;
	esac
}

# arch_suffix ARCH: what the names of another architecture's items end with.
arch_suffix() { [ "$1" = amd64 ] || echo "-$1"; }

# kernel_make ARCH NAME: what kbuild's command line says for that kernel and its modules: the architecture, and who
# compiles. A GKI is built by clang and linked by lld.
kernel_make() {
	case $1-$2 in
	amd64-uml) echo ARCH=um ;;
	arm64-gki*) echo ARCH=arm64 LLVM=-19 ;;
	arm64-*) echo ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu- CC=aarch64-linux-gnu-gcc ;;
	esac
}

# compiler ARCH: the compiler for it.
compiler() { if [ "$1" = amd64 ]; then echo gcc; else echo aarch64-linux-gnu-gcc; fi; }

# package_of TOOL: Debian's package that has it.
package_of() {
	case $1 in
	aarch64-linux-gnu-gcc) echo gcc-aarch64-linux-gnu ;;
	ld.lld-*) echo "${1#ld.}" ;;
	llvm-*-[0-9]*) echo "llvm-${1##*-}" ;;
	*) echo "$1" ;;
	esac
}

# Prints one line on stderr.
say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }

# Prints one line and exits with 1, or with NNA_DIE_STATUS.
die() { say "$*"; exit "${NNA_DIE_STATUS:-1}"; }

# version_ge A B: whether A >= B, for dotted numbers.
version_ge() { [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1)" = "$2" ]; }

# "Label URI" for each of the machine's Debian archives.
mirrors() {
	apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(REPO_URI)' 'Created-By: Packages' \
		2>/dev/null |
		awk -F'|' '$1 == "Debian" && !seen[$2 $3]++ { print $2, $3 }'
}

# qemu_version BINARY...: "10.2.1"; fails when it does not run.
qemu_version() { "$@" --version 2>/dev/null | sed -n '1s/.*version \([0-9.]*\).*/\1/p'; }

# Sets the array NNA_QEMU, the command that starts the chosen QEMU. An extracted QEMU runs with its
# own C library and must not load this machine's QEMU modules.
qemu_set() {
	local root=${NNA_QEMU_ROOT:-} lib
	NNA_QEMU=("$NNA_QEMU_BINARY")
	[ -n "$root" ] || return 0
	lib=$root/usr/lib/x86_64-linux-gnu
	NNA_QEMU=(env -u LD_PRELOAD -u LD_LIBRARY_PATH "QEMU_MODULE_DIR=$lib/qemu"
		"$lib/ld-linux-x86-64.so.2" --library-path "$lib" "$NNA_QEMU_BINARY"
		-L "$root/usr/share/qemu" -L "$root/usr/share/seabios"
		-L "$root/usr/lib/ipxe/qemu")
}
