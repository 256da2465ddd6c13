#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The platform driver on the SoC of nna_soc.ko: in which order it switches power domain, clock and
# reset line, that each time it switches all of them off again, and what becomes of each that fails or
# is not there yet. KTAP. Needs root, and vm/run --platform. What nna_soc.ko warns of in addition, and
# the driver's other tests there, count too: vm/run fails.

cd "$(dirname "$0")/../.." || exit 1
build=${BUILD:-build}
soc=/sys/kernel/debug/nna_soc
driver=/sys/bus/platform/drivers/nna
device=nna.0
on='domain-on clock-on reset-released'
off='reset-asserted clock-off domain-off'
n=0 failed=0 skipped=0
[ -d $soc ] || { echo "1..0 # SKIP no SoC: run vm/run --platform"; exit 4; }

result() { # STATUS NAME
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $n $2"
	else
		echo "not ok $n $2"
		failed=$((failed + 1))
	fi
}

# switched EXPECTED: what has been switched since the last call.
switched() {
	events=$(cat $soc/events)
	echo >$soc/events
	[ "${events% }" = "$1" ] || { echo "# expected: $1"; echo "# found: $events"; return 1; }
}

all_off() {
	! grep -v ' 0$' $soc/state
}

bound() {
	[ -e $driver/$device ]
}

bind() {
	echo $device >$driver/bind 2>/dev/null
	bound
}

unbind() {
	echo $device >$driver/unbind
}

# The device is active after that, so that it is switched by what a test does alone.
works() {
	"$build/selftests/nna_submit_test" null_job >/dev/null &&
		echo on >/sys/bus/platform/devices/$device/power/control
}

# reaches STATUS: waits until runtime PM has got there.
reaches() {
	for _ in $(seq 1000); do
		[ "$(cat /sys/bus/platform/devices/$device/power/runtime_status)" != "$1" ] || return 0
		sleep 0.05
	done
	return 1
}

sleeps() {
	echo auto >/sys/bus/platform/devices/$device/power/control && reaches suspended
}

# control LINE: a fault of the device process, which answers once it is in force.
control() {
	stty -F "$NNA_CONTROL" raw -echo || return 1
	exec 3<>"$NNA_CONTROL"
	echo "$1" >&3
	read -r answer <&3
	exec 3>&-
	[ "$answer" = ok ] || { echo "# $1: $answer"; return 1; }
}

echo "KTAP version 1"
echo "1..19"

works && reaches active
result $? works

echo >$soc/events
unbind && switched "$off" && all_off
result $? order_of_unbind
# It may have been suspended since.
bind && case $(cat $soc/events) in "$on "*) ;; *) sed 's/^/# found: /' $soc/events; false ;; esac
result $? order_of_probe
works && echo >$soc/events && sleeps && switched "$off" && all_off
result $? order_of_suspend
echo on >/sys/bus/platform/devices/$device/power/control && reaches active && switched "$on"
result $? order_of_resume
works && sleeps && echo >$soc/events && unbind && switched "$on $off" && all_off
result $? unbind_while_suspended
bind && works
result $? bind_after_that

status=0 i=0
while [ $i -lt 20 ] && [ $status -eq 0 ]; do
	sleeps && all_off && unbind && all_off && bind && works || status=1
	i=$((i + 1))
done
result $status balance

# fault NAME FAULT DEFERRED: probe fails, leaves nothing on, and succeeds when what failed does not.
fault() {
	unbind
	echo "$2" >$soc/fault
	status=0
	# Unlike bind, this keeps a device for later whose driver waits for something.
	echo $device >/sys/bus/platform/drivers_probe 2>/dev/null
	! bound && all_off || status=1
	grep -qs "^$device" /sys/kernel/debug/devices_deferred && deferred=yes || deferred=no
	[ $deferred = "$3" ] || { echo "# deferred: $deferred"; status=1; }
	echo clear >$soc/fault
	bound || bind || status=1
	works || status=1
	result $status "$1"
}

fault domain_fails "domain on -5" no
fault domain_is_deferred "domain on -517" yes
fault clock_is_missing "clock get -2" no
fault clock_is_deferred "clock get -517" yes
fault clock_fails "clock on -5" no
fault reset_is_deferred "reset get -517" yes
fault reset_fails "reset on -5" no

# What fails when the device is to wake up loses it; it stays off, and works when it is bound again.
status=0
for part in domain clock reset; do
	works && sleeps || status=1
	echo "$part on -5" >$soc/fault
	if "$build/selftests/nna_submit_test" null_job >/dev/null; then
		echo "# a job has run although $part has failed"
		status=1
	fi
	all_off && unbind && all_off || status=1
	echo clear >$soc/fault
	bind && works || status=1
done
result $status fails_at_resume

# A device that ignores resets is lost, and its reset line stops it. One that is dead makes probe fail
# when it has power, clocks and its reset is over, and is switched off again.
if [ -n "$NNA_CONTROL" ]; then
	"$build/selftests/nna_reset_test" refused_reset >/dev/null && works
	result $? refuses_resets
	unbind
	status=0
	control "dead 1" && ! bind && all_off || status=1
	control "dead 0" && bind && works || status=1
	result $status device_is_dead
else
	for name in refuses_resets device_is_dead; do
		n=$((n + 1)) skipped=$((skipped + 1))
		echo "ok $n $name # SKIP no NNA_CONTROL"
	done
fi

# What goes wrong and has no other effect, as the PM core repairs it, is in the kernel's log.
complaints=$(dmesg | grep -E "nna $device: .*(Unbalanced|underflow|cannot be asserted)")
[ -z "$complaints" ]
result $? no_complaints
[ -z "$complaints" ] || echo "$complaints" | sed 's/^/# found: /'
echo "# Totals: pass:$((n - failed - skipped)) fail:$failed skip:$skipped"
[ $failed -eq 0 ]
