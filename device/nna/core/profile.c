// SPDX-License-Identifier: MIT
#include "device/nna/core/profile.h"

#include <string.h>

#include "device/nna/core/clock.h"

#define HEADER sizeof(struct nnahw_profile_header)
#define RECORD sizeof(struct nnahw_profile_record)

uint32_t nnadev_profile_open(struct nnadev_exec *exec, struct nnadev_job *job)
{
	struct nnadev_profile *p = &job->profile;

	if (!job->entry.profile)
		return NNAHW_STATUS_OK;
	p->open = nnadev_mmu_read(&exec->mmu, job->space, job->entry.profile, &p->header, HEADER,
				  &job->fault);
	return p->open ? NNAHW_STATUS_OK : job->fault.status;
}

void nnadev_profile_begin(struct nnadev_job *job)
{
	struct nnadev_profile *p = &job->profile;

	if (!p->open)
		return;
	/* Read the clock: @now of the job may be earlier than the end of the last command. */
	p->record = (struct nnahw_profile_record){ .command = job->offset,
						   .begin = nnadev_clock_now() };
	p->run_begin = nnadev_stopwatch_on(&job->watch, p->record.begin);
}

void nnadev_profile_enter(struct nnadev_exec *exec, struct nnadev_job *job)
{
	struct nnadev_profile *p = &job->profile;

	if (!p->open)
		return;
	p->left = nnadev_shares_left(&job->shares);
	for (uint32_t i = 0; i < exec->threads && i < NNAHW_PROFILE_WORKERS; i++)
		p->busy[i] = nnadev_workers_busy(exec->workers, i);
}

void nnadev_profile_leave(struct nnadev_exec *exec, struct nnadev_job *job)
{
	struct nnadev_profile *p = &job->profile;

	if (!p->open)
		return;
	p->record.tiles += p->left - nnadev_shares_left(&job->shares);
	for (uint32_t i = 0; i < exec->threads && i < NNAHW_PROFILE_WORKERS; i++)
		p->record.busy[i] += nnadev_workers_busy(exec->workers, i) - p->busy[i];
}

/* Whether the profile has room for one more record. */
static bool has_room(const struct nnadev_job *job)
{
	return job->profile.header.written < (job->entry.profile_size - HEADER) / RECORD;
}

uint32_t nnadev_profile_end(struct nnadev_exec *exec, struct nnadev_job *job)
{
	const uint64_t hz = exec->base->params.tick_hz;
	struct nnadev_profile *p = &job->profile;
	struct nnahw_profile_record *r = &p->record;
	uint64_t now;

	if (!p->open)
		return NNAHW_STATUS_OK;
	if (!has_room(job)) {
		p->header.dropped += p->header.dropped < UINT32_MAX;
		return NNAHW_STATUS_OK;
	}
	now = nnadev_clock_now();
	r->begin = nnadev_clock_to_ticks(hz, r->begin);
	r->end = nnadev_clock_to_ticks(hz, now);
	r->run_time = nnadev_clock_to_ticks(hz,
					    nnadev_stopwatch_on(&job->watch, now) - p->run_begin);
	for (uint32_t i = 0; i < NNAHW_PROFILE_WORKERS; i++)
		r->busy[i] = nnadev_clock_to_ticks(hz, r->busy[i]);
	if (!nnadev_mmu_write(&exec->mmu, job->space,
			      job->entry.profile + HEADER + p->header.written * RECORD, r, RECORD,
			      &job->fault))
		return job->fault.status;
	p->header.written++;
	return NNAHW_STATUS_OK;
}

void nnadev_profile_close(struct nnadev_exec *exec, struct nnadev_job *job)
{
	struct nnadev_fault ignored;

	if (job->profile.open)
		nnadev_mmu_write(&exec->mmu, job->space, job->entry.profile, &job->profile.header,
				 HEADER, &ignored);
}
