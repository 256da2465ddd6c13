/* SPDX-License-Identifier: MIT */
/*
 * A filter of system calls, for processes that work for strangers: nna-device and nnaccel-hal.
 *
 * A process says which calls it makes; any other ends it with SIGSYS. Of some calls only those with
 * certain arguments are let through, for which there are rules: the low half of one argument,
 * masked, must have a value, else the call fails with an error. What has pointers for arguments
 * cannot be looked into. Calls are numbered by the machine, so there is a filter only on those for
 * which somebody has looked at which calls the C library makes.
 */
#ifndef NNA_SECCOMP_H
#define NNA_SECCOMP_H

#include <linux/audit.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__)
#define NNA_SECCOMP_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define NNA_SECCOMP_ARCH AUDIT_ARCH_AARCH64
#else
#define NNA_SECCOMP_ARCH 0 /* nobody has looked */
#endif

/**
 * struct nna_seccomp_rule - a call that may be made with some arguments
 * @call: its number
 * @argument: which of its arguments
 * @mask: bits of the low half of it that count
 * @value: what these must be
 * @error: the errno of other calls
 */
struct nna_seccomp_rule {
	uint32_t call, argument, mask, value, error;
};

/**
 * nna_seccomp_enter() - let only these calls through, for good and in all threads
 * @allowed: @allowed_count numbers of calls that may have any arguments
 * @rules: @rule_count rules, no two of the same call
 *
 * Gives up the means to get rights by starting programs, too (no_new_privs).
 *
 * Return: 0, -ENOTSUP on other machines, -EBUSY when a thread has a filter of its own, or another
 * negative errno.
 */
int nna_seccomp_enter(const uint32_t *allowed, size_t allowed_count,
		      const struct nna_seccomp_rule *rules, size_t rule_count);

#endif
