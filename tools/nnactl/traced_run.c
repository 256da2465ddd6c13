// SPDX-License-Identifier: MIT
#include "tools/nnactl/traced_run.h"

#include <errno.h>
#include <linux/sync_file.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static int bind_outputs(struct nnactl_traced_run *run, struct nnactl_session *s,
			struct nna_execution *execution)
{
	uint32_t count = nna_program_output_count(s->program);

	run->buffers = calloc(count + 1, sizeof(*run->buffers));
	if (!run->buffers)
		return nnactl_error("out of memory");
	for (uint32_t i = 0; i < count; i++) {
		struct nna_io_info info;
		int ret = nna_program_get_output(s->program, i, &info);

		if (ret || !info.size)
			return nnactl_error("%s: the size of output %u is not known", s->path, i);
		ret = nna_buffer_create(s->device, info.size, &run->buffers[i]);
		if (!ret) {
			run->buffer_count++;
			ret = nna_execution_set_output_buffer(execution, i, 0, NULL,
							      run->buffers[i], 0, info.size);
		}
		if (ret)
			return nnactl_failed(&s->log, "output %u: %s", i, strerror(-ret));
	}
	return 0;
}

/* When a fence of the kernel that has signalled did so; 0 where that cannot be known. */
static uint64_t signal_time(int sync_file)
{
	struct sync_fence_info fence = { 0 };
	struct sync_file_info info = { .num_fences = 1, .sync_fence_info = (uintptr_t)&fence };

	if (sync_file < 0)
		return 0;
	if (ioctl(sync_file, SYNC_IOC_FILE_INFO, &info))
		fence.timestamp_ns = 0;
	close(sync_file);
	return fence.timestamp_ns;
}

int nnactl_traced_run(struct nnactl_traced_run *run, struct nnactl_session *s,
		      struct nna_execution *execution)
{
	struct nna_fence *fence = NULL;
	int ret, sync_file = -1;

	*run = (struct nnactl_traced_run){ 0 };
	if (bind_outputs(run, s, execution))
		return 1;
	if (!s->loopback) {
		ret = nnactl_tracepoints_begin(&run->driver);
		if (ret)
			fprintf(stderr, "nnactl: without the driver's tracepoints: %s\n",
				strerror(-ret));
	}
	run->submit = nnactl_now();
	ret = nna_execution_submit(execution, NULL, 0, &fence);
	run->submitted = nnactl_now();
	if (!ret) {
		sync_file = nna_fence_export(fence);
		ret = nna_fence_wait(fence, -1);
	}
	run->wake = nnactl_now();
	run->traced = nnactl_tracepoints_end(&run->driver);
	run->signalled = signal_time(sync_file);
	nna_fence_destroy(fence);
	return ret ? nnactl_failed(&s->log, "%s: %s", s->path, strerror(-ret)) : 0;
}

void nnactl_traced_run_free(struct nnactl_traced_run *run)
{
	for (uint32_t i = 0; i < run->buffer_count; i++)
		nna_buffer_destroy(run->buffers[i]);
	free(run->buffers);
	*run = (struct nnactl_traced_run){ 0 };
}

void nnactl_traced_run_add(const struct nnactl_traced_run *run, json_t *trace)
{
	nnactl_trace_add(trace, NNACTL_TRACK_CLIENT, "run", run->submit, run->wake, NULL);
	nnactl_trace_add(trace, NNACTL_TRACK_CLIENT, "submit", run->submit, run->submitted, NULL);
	nnactl_trace_add(trace, NNACTL_TRACK_CLIENT, "wait", run->submitted, run->wake, NULL);
	if (run->traced) {
		nnactl_trace_add(trace, NNACTL_TRACK_DRIVER, "queued", run->driver.submit,
				 run->driver.run, NULL);
		nnactl_trace_add(trace, NNACTL_TRACK_DRIVER, "on the ring", run->driver.run,
				 run->driver.done, NULL);
	}
	if (run->signalled)
		nnactl_trace_mark(trace, NNACTL_TRACK_DRIVER, "fence signals", run->signalled);
}
