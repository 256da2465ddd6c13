/* SPDX-License-Identifier: MIT */
/*
 * A filter of system calls, for processes that serve untrusted clients: nna-device and nnaccel-hal.
 *
 * A process lists the calls that it makes; any other call ends the process with SIGSYS. A rule
 * allows a call only with certain arguments: the low half of one argument, masked, must have a
 * value; otherwise the call fails with an error. A filter cannot look behind pointers. The numbers
 * of calls depend on the machine, so there is a filter only for machines on which the calls of the
 * C library are known.
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
#define NNA_SECCOMP_ARCH 0 /* the calls of this machine are not known */
#endif

/**
 * struct nna_seccomp_rule - a call that is allowed with certain arguments
 * @call: its number
 * @argument: index of the checked argument
 * @mask: the checked bits of the argument's low half
 * @value: their required value
 * @error: the errno of a call with another value
 */
struct nna_seccomp_rule {
	uint32_t call, argument, mask, value, error;
};

/**
 * nna_seccomp_enter() - allow only these calls, for good and in all threads
 * @allowed: @allowed_count numbers of calls that may have any arguments
 * @rules: @rule_count rules, no two for the same call
 *
 * Also sets no_new_privs: programs that the process starts cannot gain privileges.
 *
 * Return: 0, -ENOTSUP on other machines, -EBUSY if a thread has a filter of its own, or another
 * negative errno.
 */
int nna_seccomp_enter(const uint32_t *allowed, size_t allowed_count,
		      const struct nna_seccomp_rule *rules, size_t rule_count);

#endif
