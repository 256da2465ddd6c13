// SPDX-License-Identifier: MIT
/* Builds the filter, a program of the kernel's packet filter, and installs it (seccomp.h). */
#include "sandbox/seccomp.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Instructions of a filter: its beginning and end, for each call, and for each rule. */
#define FRAME_SIZE 5
#define CALL_SIZE 2
#define RULE_SIZE 6

static void emit(struct sock_fprog *f, uint16_t code, uint32_t k, uint8_t jt, uint8_t jf)
{
	f->filter[f->len++] = (struct sock_filter){ code, jt, jf, k };
}

static void emit_load(struct sock_fprog *f, size_t offset)
{
	emit(f, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void emit_return(struct sock_fprog *f, uint32_t action)
{
	emit(f, BPF_RET | BPF_K, action, 0, 0);
}

static void emit_rule(struct sock_fprog *f, const struct nna_seccomp_rule *rule)
{
	emit(f, BPF_JMP | BPF_JEQ | BPF_K, rule->call, 0, RULE_SIZE - 1);
	/* The offset of the low half: all supported machines are little-endian. */
	emit_load(f, offsetof(struct seccomp_data, args) + 8 * rule->argument);
	emit(f, BPF_ALU | BPF_AND | BPF_K, rule->mask, 0, 0);
	emit(f, BPF_JMP | BPF_JEQ | BPF_K, rule->value, 0, 1);
	emit_return(f, SECCOMP_RET_ALLOW);
	emit_return(f, SECCOMP_RET_ERRNO | rule->error);
}

/* The lists are searched in order, with the number of the call in the accumulator. */
static void write_filter(struct sock_fprog *f, const uint32_t *allowed, size_t allowed_count,
			 const struct nna_seccomp_rule *rules, size_t rule_count)
{
	emit_load(f, offsetof(struct seccomp_data, arch));
	emit(f, BPF_JMP | BPF_JEQ | BPF_K, NNA_SECCOMP_ARCH, 1, 0);
	emit_return(f, SECCOMP_RET_KILL_PROCESS);
	emit_load(f, offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < allowed_count; i++) {
		emit(f, BPF_JMP | BPF_JEQ | BPF_K, allowed[i], 0, 1);
		emit_return(f, SECCOMP_RET_ALLOW);
	}
	for (size_t i = 0; i < rule_count; i++)
		emit_rule(f, &rules[i]);
	emit_return(f, SECCOMP_RET_KILL_PROCESS);
}

static int set_filter(const struct sock_fprog *f)
{
	long ret;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -errno;
	ret = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, f);
	return ret < 0 ? -errno : ret > 0 ? -EBUSY : 0;
}

int nna_seccomp_enter(const uint32_t *allowed, size_t allowed_count,
		      const struct nna_seccomp_rule *rules, size_t rule_count)
{
	struct sock_fprog filter = { 0 };
	int ret;

	if (!NNA_SECCOMP_ARCH)
		return -ENOTSUP;
	if (allowed_count > BPF_MAXINSNS || rule_count > BPF_MAXINSNS ||
	    FRAME_SIZE + CALL_SIZE * allowed_count + RULE_SIZE * rule_count > BPF_MAXINSNS)
		return -E2BIG;
	filter.filter = calloc(FRAME_SIZE + CALL_SIZE * allowed_count + RULE_SIZE * rule_count,
			       sizeof(*filter.filter));
	if (!filter.filter)
		return -ENOMEM;
	write_filter(&filter, allowed, allowed_count, rules, rule_count);
	ret = set_filter(&filter);
	/* The kernel has a copy, and the filter must allow the calls that free() makes. */
	free(filter.filter);
	return ret;
}
