/* SPDX-License-Identifier: MIT */
/*
 * A trace in Chrome's JSON format, which ui.perfetto.dev opens: events on tracks, all in
 * CLOCK_MONOTONIC. Those of one track follow one another or lie in one another.
 */
#ifndef NNACTL_TRACE_H
#define NNACTL_TRACE_H

#include <jansson.h>
#include <stdint.h>

/**
 * enum nnactl_track - who does something
 * @NNACTL_TRACK_CLIENT: this process
 * @NNACTL_TRACK_JOB: the device, with the job as a whole
 * @NNACTL_TRACK_COMMANDS: the device, with each command
 * @NNACTL_TRACK_DRIVER: the kernel
 */
enum nnactl_track {
	NNACTL_TRACK_CLIENT = 1,
	NNACTL_TRACK_JOB,
	NNACTL_TRACK_COMMANDS,
	NNACTL_TRACK_DRIVER,
};

/* A list of events, which has the names of the tracks. NULL for no memory. */
json_t *nnactl_trace_new(void);
/* What lasts from @begin to @end, in ns. Takes @arguments, which may be NULL. */
void nnactl_trace_add(json_t *trace, enum nnactl_track track, const char *name, uint64_t begin,
		      uint64_t end, json_t *arguments);
/* What happens at @when. */
void nnactl_trace_mark(json_t *trace, enum nnactl_track track, const char *name, uint64_t when);
/* Writes the file, and takes @trace. Return: 0, or 1 with the error printed. */
int nnactl_trace_write(json_t *trace, const char *path);

#endif
