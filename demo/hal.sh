#!/bin/bash
# SPDX-License-Identifier: MIT
#
# In the VM: a service manager, nnaccel-hal, and a command that is a client of it.
#
#   vm/run --load vgem -- demo/hal.sh COMMAND ARGUMENT...

set -u
cd "$(dirname "$0")/.." || exit 1

BUILD=${BUILD:-build}
DEVICE=/dev/accel/accel0
. tests/hal/service.sh

modprobe binder_linux devices=binder,hwbinder,vndbinder || exit 1
"$BUILD/tests/hal/manager" >"$TMP/manager" 2>&1 &
manager=$!
wait_for "$TMP/manager" '^ready' $manager || { cat "$TMP/manager"; exit 1; }
start_hal || exit 1
"$@"
status=$?
[ $status = 0 ] || cat "$TMP/hal"
stop_hal || status=1
kill $manager
exit $status
