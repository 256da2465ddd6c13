# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Read by what runs nnaccel-hal in the VM: starts and ends it. The caller sets BUILD and DEVICE, and
# HAL_PROGRAM for another program, HAL_PREFIX for a command that starts it; TMP is a folder for
# messages, passed and failed are counts.
TMP=$(mktemp -d) || exit 1
HAL_PROGRAM=$BUILD/bin/nnaccel-hal
passed=0 failed=0
HAL=

# wait_for FILE TEXT PID: until FILE has a line with TEXT; fails when PID has ended before.
wait_for()
{
	until grep -qs -- "$2" "$1"; do
		kill -0 "$3" 2>/dev/null || { grep -qs -- "$2" "$1"; return; }
		sleep 0.05
	done
}

# start_hal ARGUMENT...: sets HAL
start_hal()
{
	: >"$TMP/hal"
	# shellcheck disable=SC2086
	${HAL_PREFIX-} "$HAL_PROGRAM" --device="$DEVICE" "$@" >"$TMP/hal" 2>&1 &
	HAL=$!
	wait_for "$TMP/hal" ' serves' $HAL || { cat "$TMP/hal"; return 1; }
}

# What the service has: descriptors but pipes and eventfds, which libgbinder's threads have; binder
# nodes; references to those of others; and BOs of all processes.
holdings()
{
	local binder=/sys/kernel/debug/binder/proc/$HAL
	printf '%d descriptors, %d nodes, %d references, %d BOs\n' \
		"$(find "/proc/$HAL/fd" -type l ! -lname 'pipe:*' ! -lname '*\[eventfd\]' | wc -l)" \
		"$(grep -c '^  node' "$binder")" "$(grep -c '^  ref' "$binder")" \
		"$(cat /sys/kernel/debug/accel/*/gems | wc -l)"
}

# clean COMMAND...: what the service has after it comes to be what it has before
clean()
{
	local before now
	before=$(holdings)
	"$@" || return
	for _ in $(seq 3000); do
		now=$(holdings)
		[ "$now" != "$before" ] || return 0
		sleep 0.1
	done
	echo "left: $now; before: $before"
	return 1
}

stop_hal()
{
	kill -TERM "$HAL" && wait "$HAL"
}
