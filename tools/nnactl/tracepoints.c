// SPDX-License-Identifier: MIT
#include "tools/nnactl/tracepoints.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/nnactl/nnactl.h"

#define INSTANCES "/sys/kernel/tracing/instances"
/* The kernel keeps less than that for each CPU. */
#define MOST_BYTES (64u << 20)

/* Writes @text to a file of the instance. Return: 0 or a negative errno. */
static int put(const struct nnactl_tracepoints *t, const char *file, const char *text)
{
	ssize_t n = (ssize_t)strlen(text), written;
	char path[128];
	int fd, ret;

	snprintf(path, sizeof(path), "%s/%s", t->directory, file);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	written = write(fd, text, (size_t)n);
	ret = written == n ? 0 : written < 0 ? -errno : -EIO;
	close(fd);
	return ret;
}

int nnactl_tracepoints_begin(struct nnactl_tracepoints *t)
{
	int ret;

	*t = (struct nnactl_tracepoints){ 0 };
	snprintf(t->directory, sizeof(t->directory), INSTANCES "/nnactl-%d", (int)getpid());
	ret = mkdir(t->directory, 0700) ? -errno : 0;
	if (!ret) {
		ret = put(t, "trace_clock", "mono") ?: put(t, "events/nna/enable", "1");
		if (ret)
			rmdir(t->directory);
	}
	if (ret)
		t->directory[0] = 0;
	return ret;
}

/* "   comm-123   [000] .....  12.345678: nna_job_run: ...": the time in ns, 0 for other events. */
static uint64_t time_of(const char *line, const char *event, const char **fields)
{
	char mark[32];
	const char *at;
	unsigned long seconds, micros;

	snprintf(mark, sizeof(mark), ": %s: ", event);
	at = strstr(line, mark);
	if (!at)
		return 0;
	*fields = at + strlen(mark);
	while (at > line && at[-1] != ' ')
		at--;
	if (sscanf(at, "%lu.%6lu", &seconds, &micros) != 2)
		return 0;
	return seconds * 1000000000ull + micros * 1000ull;
}

/**
 * struct job - what names a job in the trace
 * @ring, @seqno: its entry on a ring, once it has one
 * @asid: of its address space
 * @fence: from where it is armed to where it is put on the ring
 */
struct job {
	unsigned int ring, seqno, asid;
	unsigned long long fence[2];
};

static bool read_job(const char *fields, struct job *job)
{
	return sscanf(fields, "ring=%u seqno=%u asid=%u fence=%llu:%llu", &job->ring, &job->seqno,
		      &job->asid, &job->fence[0], &job->fence[1]) >= 3;
}

/* Notes what a line says of the job that this process submits first. */
static void read_line(struct nnactl_tracepoints *t, const char *line, const char *self,
		      struct job *ours)
{
	struct job job = { 0 };
	const char *fields;
	uint64_t when;

	when = time_of(line, "nna_job_submit", &fields);
	if (when && !t->submit && strstr(line, self) && read_job(fields, &job)) {
		t->submit = when;
		*ours = job;
	}
	when = time_of(line, "nna_job_run", &fields);
	if (when && t->submit && read_job(fields, &job) && job.fence[0] == ours->fence[0] &&
	    job.fence[1] == ours->fence[1]) {
		t->run = when;
		*ours = job;
	}
	when = time_of(line, "nna_job_done", &fields);
	if (when && t->run && !t->done && read_job(fields, &job) && job.ring == ours->ring &&
	    job.seqno == ours->seqno && job.asid == ours->asid)
		t->done = when;
}

bool nnactl_tracepoints_end(struct nnactl_tracepoints *t)
{
	char path[128], self[16], *text, *save = NULL;
	struct job ours = { 0 };
	size_t size;

	if (!t->directory[0])
		return false;
	put(t, "events/nna/enable", "0");
	snprintf(path, sizeof(path), "%s/trace", t->directory);
	snprintf(self, sizeof(self), "-%d ", (int)getpid());
	text = nnactl_file_read(path, MOST_BYTES, &size);
	for (char *line = text ? strtok_r(text, "\n", &save) : NULL; line;
	     line = strtok_r(NULL, "\n", &save))
		read_line(t, line, self, &ours);
	free(text);
	rmdir(t->directory);
	t->directory[0] = 0;
	return t->submit && t->run && t->done;
}
