# SPDX-License-Identifier: MIT

include device/transport.mk
