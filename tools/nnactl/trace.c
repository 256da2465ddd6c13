// SPDX-License-Identifier: MIT
#include "tools/nnactl/trace.h"

#include "tools/nnactl/nnactl.h"

static void name_track(json_t *trace, enum nnactl_track track, const char *name)
{
	json_array_append_new(trace, json_pack("{s:s, s:s, s:i, s:i, s:{s:s}}", "name",
					       "thread_name", "ph", "M", "pid", 1, "tid", track,
					       "args", "name", name));
}

json_t *nnactl_trace_new(void)
{
	json_t *trace = json_array();

	name_track(trace, NNACTL_TRACK_CLIENT, "client");
	name_track(trace, NNACTL_TRACK_JOB, "job");
	name_track(trace, NNACTL_TRACK_COMMANDS, "commands");
	name_track(trace, NNACTL_TRACK_DRIVER, "driver");
	return trace;
}

void nnactl_trace_add(json_t *trace, enum nnactl_track track, const char *name, uint64_t begin,
		      uint64_t end, json_t *arguments)
{
	json_array_append_new(trace, json_pack("{s:s, s:s, s:f, s:f, s:i, s:i, s:o?}", "name", name,
					       "ph", "X", "ts", (double)begin / 1e3, "dur",
					       (double)(int64_t)(end - begin) / 1e3, "pid", 1,
					       "tid", track, "args", arguments));
}

void nnactl_trace_mark(json_t *trace, enum nnactl_track track, const char *name, uint64_t when)
{
	json_array_append_new(trace, json_pack("{s:s, s:s, s:s, s:f, s:i, s:i}", "name", name, "ph",
					       "i", "s", "t", "ts", (double)when / 1e3, "pid", 1,
					       "tid", track));
}

int nnactl_trace_write(json_t *trace, const char *path)
{
	json_t *file = json_pack("{s:o?, s:s}", "traceEvents", trace, "displayTimeUnit", "ns");
	int ret = file ? json_dump_file(file, path, JSON_REAL_PRECISION(15)) : -1;

	json_decref(file);
	return ret ? nnactl_error("%s: the trace cannot be written", path) : 0;
}
