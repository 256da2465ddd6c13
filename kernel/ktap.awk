# SPDX-License-Identifier: GPL-2.0-only
#
# awk -f kernel/ktap.awk [-v ktap=1] [-v status=N] [-v splats=N] [-v log_file=NAME]: sums up a KTAP
# document of KUnit: a line a suite, each failing case with what it said above its result, and the
# total, whose status is 1 after a failure. ktap=1 prints the document itself instead of the suites.
#
# A result line belongs to a case, unless deeper indented results precede it: then it sums those up.

function name(text)
{
	sub(/^ *(not )?ok [0-9]+ -? ?/, "", text)
	return text
}

ktap { print }
/^ *1\.\.[0-9]+$/ && !/^ / { split($0, plan, /\.\./); planned = plan[2] }
!/^ *(not )?ok [0-9]+/ { said = said $0 "\n"; next }
{
	match($0, /^ */); depth = RLENGTH
	if (!depth)
		suites++
	if (last > depth) {
		last = depth
		if (!depth) {
			if (!ktap)
				printf "%s: %d passed, %d failed, %d skipped\n", name($0), passed - was_passed, failed - was_failed, skipped - was_skipped
			was_passed = passed; was_failed = failed; was_skipped = skipped
		}
		said = ""
		next
	}
	last = depth
	if (/# SKIP/) skipped++
	else if (/^ *not ok/) { failed++; if (!ktap) printf "%s%s\n", said, $0 }
	else passed++
	said = ""
}
END {
	if (splats + 0) { printf "# the kernel complained in %d lines\n", splats; failed++ }
	if (!planned || suites != planned) { print "# the run ended early"; failed++ }
	else if (status + 0) { print "# the kernel ended with status " status; failed++ }
	if (log_file) printf "# the whole KTAP is in %s\n", log_file
	printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
	exit failed > 0
}
