#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The driver is unbound and bound again, idle and busy, and its module unloaded and loaded. KTAP. Needs root, and
# runs in a guest of its own: a failure may leave no device behind. MODULE names the .ko for the load test.

cd "$(dirname "$0")/.." || exit 1
build=${BUILD:-build}
driver=/sys/bus/pci/drivers/nna
device=$(basename "$(ls -d $driver/0000:* 2>/dev/null | head -n 1)")
[ -n "$device" ] || { echo "1..0 # SKIP no device bound"; exit 4; }
module=${MODULE:-$build/kernel/nna.ko}
n=0 failed=0

result() { # STATUS NAME
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $n $2"
	else
		echo "not ok $n $2"
		failed=1
	fi
}

works() {
	"$build/selftests/nna_submit_test" null_job >/dev/null
}

echo "KTAP version 1"
echo "1..5"

i=0
while [ $i -lt 20 ]; do
	echo "$device" >$driver/unbind && echo "$device" >$driver/bind || break
	i=$((i + 1))
done
[ $i -eq 20 ] && works
result $? unbind_idle

# Unbound under load: clients get ENODEV and end, nothing is left.
ok=0
for i in 1 2 3 4 5; do
	"$build/selftests/nna_stress" --expect-unbind 10 >/dev/null &
	pid=$!
	sleep 1
	echo "$device" >$driver/unbind
	wait $pid || ok=1
	echo "$device" >$driver/bind
	works || ok=1
done
result $ok unbind_busy

# A client that holds on to its file and mappings while the driver goes and comes.
"$build/selftests/nna_stress" --hold 4 >/dev/null &
pid=$!
sleep 1
echo "$device" >$driver/unbind
echo "$device" >$driver/bind
wait $pid && works
result $? mapping_survives_unbind

i=0
rmmod nna && while [ $i -lt 50 ]; do
	insmod "$module" && rmmod nna || break
	i=$((i + 1))
done
insmod "$module"
[ $i -eq 50 ] && works
result $? module_load_unload

"$build/selftests/nna_stress" 5 >/dev/null
result $? stress
[ $failed -eq 0 ]
