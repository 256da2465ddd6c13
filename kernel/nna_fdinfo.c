// SPDX-License-Identifier: GPL-2.0-only
/* Usage of a client: see nna_fdinfo.h. */

#include <drm/drm_file.h>
#include <drm/drm_print.h>

#include "nna_core.h"
#include "nna_ctx.h"
#include "nna_fdinfo.h"
#include "nna_file.h"
#include "nna_job.h"

static const char * const nna_priority_names[NNA_JOB_RINGS] = {
	"low", "medium", "high", "realtime",
};

void nna_fdinfo_show(struct drm_printer *p, struct drm_file *file)
{
	struct nna_file *nfile = file->driver_priv;
	const struct nna_hw *hw = &nfile->nna->hw;
	unsigned int i, ring;
	u64 running, sum = 0, ns[NNA_JOB_RINGS];

	running = nna_job_running_ns(nfile->nna, nfile->usage, &ring);
	for (i = 0; i < NNA_JOB_RINGS; i++) {
		ns[i] = nna_clock_ticks_to_ns(hw, atomic64_read(&nfile->usage->ticks[i]));
		if (running && i == ring)
			ns[i] += running;
		sum += ns[i];
	}
	drm_printf(p, "drm-engine-npu:\t%llu ns\n", sum);
	for (i = 0; i < NNA_JOB_RINGS; i++)
		drm_printf(p, "nna-time-%s:\t%llu ns\n", nna_priority_names[i], ns[i]);
	drm_show_memory_stats(p, file);
}
