# SPDX-License-Identifier: MIT
#
# Prints the examples in the comments of nna_accel.h as functions, each named after the structure
# that the comment describes; nna_uapi_test.c compiles them.

/code-block:: C/ { on = 1; text = ""; next }
/\*\// { on = 0 }
on { sub(/^ \* ?/, ""); text = text $0 "\n" }
/^struct drm_nna_[a-z_]+ \{/ && text {
	sub(/^drm_nna_/, "", $2)
	print "static void example_" $2 "(void)\n{\n" text "}\n"
	text = ""
}
