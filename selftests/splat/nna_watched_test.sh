#!/bin/sh
# SPDX-License-Identifier: MIT
#
# That selftests/watched can fail: it does when nna_splat.ko, which SPLAT names, does one of the
# things that it watches for, and does not when that does nothing. KTAP. For a kernel with debugging
# checks. Lockdep comes first, as other complaints turn it off.

cd "$(dirname "$0")/../.." || exit 1
n=0 failed=0
out=$(mktemp)
echo "KTAP version 1"
echo "1..7"
while read -r kind status line; do
	n=$((n + 1))
	dmesg -C
	selftests/watched sh -c 'insmod "$0" "kind=$1" 2>&1 | grep -q "Operation canceled"' \
		"${SPLAT:?names no module}" "$kind" >"$out" 2>&1
	if [ $? -eq "$status" ] && grep -q "$line" "$out"; then
		echo "ok $n sees_$kind"
	else
		sed 's/^/# /' "$out"
		echo "not ok $n sees_$kind"
		failed=$((failed + 1))
	fi
done <<END
none 0 ^ok.no_splat
lockdep 1 splat:.*circular.locking
warn 1 splat:.*WARNING:
kasan 1 splat:.*KASAN:
atomic 1 splat:.*BUG:.sleeping.function
dma 1 splat:.*DMA-API:
leak 1 ^not.ok.no_leak
END
rm -f "$out"
echo "# Totals: pass:$((n - failed)) fail:$failed skip:0"
[ $failed -eq 0 ]
