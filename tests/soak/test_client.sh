#!/bin/bash
# SPDX-License-Identifier: MIT
#
# test_client.sh SOAK-CLIENT MODELS: soak_client on the loopback finds its results right, a reference with another
# byte wrong, and a device that is not there an error. Ends with "N passed, N failed".

set -u
client=$1 models=$2
TMP=$(mktemp -d) || exit 1
trap 'rm -rf "$TMP"' EXIT
name=keras_lstm_mnist_ptq.mnist_nine
passed=0 failed=0

tell()
{
	if [ "$1" = 0 ]; then
		passed=$((passed + 1))
		echo "ok $2"
	else
		failed=$((failed + 1))
		echo "FAIL $2"
	fi
}

# told DEVICE WORD: lets the client run until it has said WORD twice; sets status, and lines
told()
{
	local line pid in count=0
	lines=
	coproc CLIENT { exec "$client" --device "$1" --models "$models" --reference "$TMP" $name; }
	pid=$CLIENT_PID in=${CLIENT[1]}
	while read -r line; do
		lines+=$line$'\n'
		case $line in "$2 "*) count=$((count + 1)) ;; esac
		[ $count -lt 2 ] || [ -z "$in" ] || { exec {in}>&-; in=; }
	done <&"${CLIENT[0]}"
	wait "$pid"
	status=$?
}

"$client" --device loopback --models "$models" --reference "$TMP" --save $name >/dev/null
tell $? "the reference is saved"
told loopback ok
[ $status = 0 ] && grep -q '^left 0$' <<<"$lines" && ! grep -qE '^(wrong|error)' <<<"$lines"
tell $? "results are right, and all memory is given back"
printf '\377' | dd of="$TMP/$name" bs=1 seek=3 conv=notrunc status=none
told loopback wrong
[ $status = 1 ] && grep -q "^wrong $name: byte 3 is .*, not 255$" <<<"$lines"
tell $? "another byte is wrong"
"$client" --device "$TMP/none" --models "$models" --reference "$TMP" --save $name >/dev/null
[ $? = 1 ]
tell $? "without a device there is no reference"
echo "$passed passed, $failed failed"
[ $failed = 0 ]
