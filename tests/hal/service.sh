# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Read by what runs nnaccel-hal in the VM: starts and ends it. The caller sets BUILD and DEVICE, and
# HAL_PROGRAM for another program; TMP is a folder for messages, passed and failed are counts.
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
	"$HAL_PROGRAM" --device="$DEVICE" "$@" >"$TMP/hal" 2>&1 &
	HAL=$!
	wait_for "$TMP/hal" ' serves' $HAL || { cat "$TMP/hal"; return 1; }
}

stop_hal()
{
	kill -TERM "$HAL" && wait "$HAL"
}
