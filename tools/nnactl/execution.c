// SPDX-License-Identifier: MIT
#include "tools/nnactl/execution.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/split/program.h"

int nnactl_execution_create(struct nnactl_session *s, struct nnactl_execution *e)
{
	int ret;

	*e = (struct nnactl_execution){ .session = s };
	if (!s->split) {
		ret = nna_execution_create(s->program, &e->nna);
		return ret ? nnactl_failed(&s->log, "%s: %s", s->path, strerror(-ret)) : 0;
	}
	e->inputs = calloc((size_t)split_program_count(s->split, true) + 1, sizeof(*e->inputs));
	e->outputs = calloc((size_t)split_program_count(s->split, false) + 1, sizeof(*e->outputs));
	return e->inputs && e->outputs ? 0 : nnactl_error("out of memory");
}

void nnactl_execution_destroy(struct nnactl_execution *e)
{
	nna_execution_destroy(e->nna);
	free(e->inputs);
	free(e->outputs);
	*e = (struct nnactl_execution){ 0 };
}

int nnactl_execution_bind(struct nnactl_execution *e, bool input, uint32_t index, void *data,
			  size_t size, struct nna_buffer *buffer)
{
	if (e->session->split) {
		if (input)
			e->inputs[index] = data;
		else
			e->outputs[index] = data;
		return 0;
	}
	if (buffer)
		return input ? nna_execution_set_input_buffer(e->nna, index, 0, NULL, buffer, 0,
							      size) :
			       nna_execution_set_output_buffer(e->nna, index, 0, NULL, buffer, 0,
							       size);
	return input ? nna_execution_set_input(e->nna, index, 0, NULL, data, size) :
		       nna_execution_set_output(e->nna, index, 0, NULL, data, size);
}

static int run_split(struct nnactl_execution *e, struct nnactl_times *times)
{
	struct nnactl_session *s = e->session;
	char error[TFLITE_ERROR_SIZE];
	struct split_timing timing;
	const uint64_t start = nnactl_now();

	s->log.error[0] = 0;
	if (split_program_run(s->split, e->inputs, e->outputs, error))
		return nnactl_error("%s: %s%s%s", s->path, error, s->log.error[0] ? ": " : "",
				    s->log.error);
	split_program_timing(s->split, &timing);
	*times = (struct nnactl_times){
		.wall = nnactl_now() - start,
		.device = timing.npu + timing.rest,
		.jobs = timing.jobs,
		.commands = timing.commands,
	};
	return 0;
}

int nnactl_execution_reset(struct nnactl_execution *e)
{
	return e->session->split ? split_program_reset(e->session->split) :
				   nna_execution_reset_state(e->nna);
}

/* The device has ended the job. Return: 1. */
static int over_limit(const struct nnactl_session *s)
{
	struct nna_device_info info;

	nna_device_get_info(s->device, &info);
	return nnactl_error("%s: it ran longer than the limit of %g s that %s has for a job: use a "
			    "smaller model, or split it%s%s", s->path,
			    (double)info.job_limit_ns / 1e9, info.name,
			    s->log.error[0] ? "; " : "", s->log.error);
}

int nnactl_execution_run(struct nnactl_execution *e, struct nnactl_times *times)
{
	const uint64_t start = nnactl_now();
	struct nna_timing timing = { 0 };
	struct nna_fence *fence;
	int ret;

	*times = (struct nnactl_times){ 0 };
	if (e->session->split)
		return run_split(e, times);
	ret = nna_execution_submit(e->nna, NULL, 0, &fence);
	if (!ret) {
		times->submit = nnactl_now() - start;
		ret = nna_fence_wait(fence, -1);
		times->wall = nnactl_now() - start;
		nna_fence_destroy(fence);
	}
	if (!ret)
		ret = nna_execution_get_timing(e->nna, &timing);
	times->device = timing.run;
	times->commands = timing.commands;
	if (ret == -ETIME)
		return over_limit(e->session);
	return ret ? nnactl_failed(&e->session->log, "%s: the run failed: %s", e->session->path,
				   strerror(-ret)) : 0;
}
