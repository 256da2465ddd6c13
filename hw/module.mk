# SPDX-License-Identifier: MIT
.PHONY: hw hw-check
hw:
	/usr/bin/python3 hw/generate.py
hw-check:
	/usr/bin/python3 hw/generate.py --check
