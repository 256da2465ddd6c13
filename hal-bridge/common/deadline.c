// SPDX-License-Identifier: MIT
/* Deadlines, and whether a missed one is the job's own fault (deadline.h). */
#include "hal-bridge/common/deadline.h"

#include "hal-bridge/include/NeuralNetworks.h"
#include "libnnaccel/support/clock.h"

void nnb_deadline_begin_at(struct nnb_deadline *deadline, uint64_t at_ns)
{
	const uint64_t now = at_ns ? nna_now_ns() : 0;

	deadline->past = at_ns && at_ns <= now;
	deadline->limit_ns = at_ns > now ? at_ns - now : 0;
}

uint64_t nnb_deadline_begin(struct nnb_deadline *deadline, uint64_t limit_ns)
{
	uint64_t at;

	if (!limit_ns || __builtin_add_overflow(nna_now_ns(), limit_ns, &at))
		at = 0;
	nnb_deadline_begin_at(deadline, at);
	return at;
}

void nnb_deadline_limit(struct nnb_deadline *deadline, uint64_t limit_ns)
{
	if (limit_ns && (!deadline->limit_ns || limit_ns < deadline->limit_ns))
		deadline->limit_ns = limit_ns;
}

int nnb_deadline_result(const struct nnb_deadline *deadline, uint64_t run_ns)
{
	uint64_t limit = deadline->limit_ns;

	if (deadline->past || (limit && run_ns >= limit - limit / 10))
		return ANEURALNETWORKS_MISSED_DEADLINE_PERSISTENT;
	return ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT;
}
