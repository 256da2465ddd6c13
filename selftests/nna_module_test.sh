#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The module is loaded and unloaded LOOPS times (default 20), and unbound under load; what it says
# of itself is in order. KTAP. Needs root. MODULE names the .ko, if that is not the one of BUILD.

cd "$(dirname "$0")/.." || exit 1
build=${BUILD:-build}
bus=pci alias=pci:v00001234d00004E41
[ -z "$NNA_PLATFORM" ] || bus=platform alias=platform:nna
driver=/sys/bus/$bus/drivers/nna
module=${MODULE:-$build/kernel/nna.ko}
loops=${LOOPS:-20}
n=0 passed=0 failed=0
device=$(basename "$(ls -d "$driver"/0000:* "$driver"/nna.* 2>/dev/null | head -n 1)")
[ -n "$device" ] || { echo "1..0 # SKIP no device bound"; exit 4; }

result() { # STATUS NAME
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $n $2"
		passed=$((passed + 1))
	else
		echo "not ok $n $2"
		failed=$((failed + 1))
	fi
}

works() {
	"$build/selftests/nna_submit_test" null_job >/dev/null
}

# What the kernel keeps for itself, when all that it need not keep is gone: in KiB, and objects by
# kind in FILE.
kernel_memory() { # FILE
	sleep 2
	echo 3 >/proc/sys/vm/drop_caches
	for shrink in /sys/kernel/slab/*/shrink; do
		[ -L "${shrink%/*}" ] || echo 1 >"$shrink"
	done
	awk 'NR > 2 { print $1, $2 }' /proc/slabinfo >"$1"
	# The last are pages that are free, but kept by the CPUs.
	awk '/^MemTotal:/ { n += $2 } /^(MemFree|Buffers|Cached|AnonPages):/ { n -= $2 } / count:/ { n -= 4 * $2 }
		END { print n }' /proc/meminfo /proc/zoneinfo
}

# Kinds of objects that there are more of by one for every other time, or more.
kinds_of_more() { # BEFORE AFTER TIMES
	awk -v times="$3" 'FNR == NR { before[$1] = $2; next }
		$2 - before[$1] >= times / 2 { print "# " $2 - before[$1] " more of " $1; found = 1 }
		END { exit !found }' "$1" "$2"
}

# Jobs of files that have been closed keep the module until they have been freed, and so does a core
# dump until it is removed.
unload() {
	for dump in /sys/class/devcoredump/devcd*/data; do
		[ ! -e "$dump" ] || echo 1 >"$dump"
	done
	while [ "$(cat /sys/module/nna/refcnt)" -ne 0 ]; do sleep 0.1; done
	rmmod nna
}

load_unload() { # TIMES
	i=0
	while [ $i -lt "$1" ]; do
		insmod "$module" && unload || return 1
		i=$((i + 1))
	done
}

echo "KTAP version 1"
echo "1..8"

modinfo -F alias "$module" | grep -qx 'pci:v00001234d00004E41sv\*sd\*bc\*sc\*i\*'
result $? alias_names_the_device
[ "$(modinfo -F license "$module")" = GPL ] && [ -n "$(modinfo -F description "$module")" ]
result $? license_and_description
# Defaults as a person writes numbers, and not as C does.
modinfo -F parm "$module" | grep -q '^max_mappings:.*default: [0-9]*)' &&
	! modinfo -F parm "$module" | grep -E '\<[0-9]+(u|ul|ull)\>'
result $? parameters_have_clean_defaults
modinfo -F depends "$module" | tr ',_' '\n-' | grep -qx gpu-sched
result $? dependencies_are_named
case $(cat "/sys/bus/$bus/devices/$device/modalias") in
$alias*) result 0 modalias_of_the_device ;;
*) result 1 modalias_of_the_device ;;
esac

# Unbound under load: clients get -ENODEV and end, nothing is left.
ok=0
for i in 1 2 3; do
	"$build/selftests/nna_stress" --expect-unbind 10 >/dev/null &
	pid=$!
	sleep 1
	echo "$device" >"$driver/unbind"
	wait $pid || ok=1
	echo "$device" >"$driver/bind"
	works || ok=1
done
result $ok unbind_under_stress

"$build/selftests/nna_stress" 5 >/dev/null
result $? stress

# A leak of an object or a page for each time shows once it has been loaded often enough.
objects=$(mktemp)
unload && load_unload 5 && before=$(kernel_memory "$objects.before") && load_unload "$loops"
ok=$?
after=$(kernel_memory "$objects.after")
echo "# $loops times, kernel memory $before KiB before and $after KiB after"
if [ "$loops" -ge 200 ]; then
	[ $((after - before)) -lt $((2 * loops)) ] || ok=1
	! kinds_of_more "$objects.before" "$objects.after" "$loops" || ok=1
fi
rm -f "$objects" "$objects.before" "$objects.after"
insmod "$module" && works || ok=1
result $ok "load_and_unload"
echo "# Totals: pass:$passed fail:$failed skip:0"
[ $failed -eq 0 ]
