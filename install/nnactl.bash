# shellcheck shell=bash
# SPDX-License-Identifier: MIT
#
# Completion of nnactl's command line in bash. Commands and options are those of `nnactl help`.

_nnactl()
{
	local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} words

	if [ "$COMP_CWORD" -eq 1 ] || { [ "$COMP_CWORD" -eq 2 ] && [ "$before" = help ]; }; then
		words="$(nnactl help | sed -n 's/^  nnactl \([a-z]*\) .*/\1/p') help"
	elif [ "$before" = --device ]; then
		words="auto loopback $(compgen -G '/dev/accel/accel*') $(compgen -G '/dev/dri/renderD*')"
	elif [ "$before" = --fallback ]; then
		words="none loopback"
	elif [ "$before" = --backend ]; then
		words="$(nnactl help dump | sed -n '/^Backends: /,$p' | grep -oE '\b(nna|ethos[a-z0-9-]*)\b')"
	elif [ "$before" = --npu ]; then
		words="u65 u85"
	elif [[ $current == -* ]]; then
		words="$(nnactl help "${COMP_WORDS[1]}" 2>/dev/null | grep -oE -- '--[a-z-]+') --json"
	else
		return
	fi
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current" | sort -u)
}

complete -o default -F _nnactl nnactl
