# SPDX-License-Identifier: MIT
#
# The vfio-user server. Its filter of system calls it has from sandbox/, together with nnaccel-hal.
TRANSPORT_SRCS := $(wildcard device/transport/*.c) sandbox/seccomp.c
TRANSPORT_OBJS := $(TRANSPORT_SRCS:%.c=$(BUILD)/obj/%.o)
