// SPDX-License-Identifier: MIT
/* Wake-ups: futexes, and the worker's eventfd. */
#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "libnnaccel/winsys/loopback/loopback.h"

long nna_loopback_futex(atomic_uint *word, int op, uint32_t value, const struct timespec *deadline)
{
	return syscall(SYS_futex, word, op | FUTEX_PRIVATE_FLAG, value, deadline, NULL,
		       FUTEX_BITSET_MATCH_ANY);
}

void nna_loopback_worker_wake(struct nna_loopback *lb)
{
	uint64_t one = 1;

	while (write(lb->wake, &one, sizeof(one)) < 0 && errno == EINTR)
		;
}
