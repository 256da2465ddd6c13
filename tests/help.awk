# SPDX-License-Identifier: MIT
#
# Prints what the lines "#. GROUP: TARGET [VARIABLE=]: TEXT" of makefiles say: by group, or with names=1 the
# targets alone, those of the group "internal" too; names=public leaves them out.
BEGIN {
	n = split("build test kernel fuzz bench generate install", order)
	title["build"] = "Build"
	title["test"] = "Test"
	title["kernel"] = "Kernel driver"
	title["fuzz"] = "Fuzz"
	title["bench"] = "Measure"
	title["generate"] = "Generate files that are committed"
	title["install"] = "Install"
}

match($0, /^#\. [a-z]+: [^:]*: /) {
	split($0, part, ": ")
	group = substr(part[1], 4)
	target = part[2]
	text = substr($0, RLENGTH + 1)
	if (!(group in title) && group != "internal") {
		printf "%s:%d: no group \"%s\"\n", FILENAME, FNR, group >"/dev/stderr"
		exit 1
	}
	split(target, word, " ")
	if (names && target !~ /^[A-Z]+=/ && !(group == "internal" && names == "public"))
		print word[1]
	lines[group] = lines[group] sprintf("  %-24s %s\n", target, text)
}

END {
	for (i = 1; i <= n && !names; i++)
		printf "%s%s:\n%s", (i > 1 ? "\n" : ""), title[order[i]], lines[order[i]]
}
