# SPDX-License-Identifier: MIT
#. generate: hw: hw/gen, docs/hardware.md and the kernel's registers, from the description
#. generate: hw-check: whether those are up to date
.PHONY: hw hw-check
hw:
	/usr/bin/python3 hw/generate.py
hw-check:
	/usr/bin/python3 hw/generate.py --check
