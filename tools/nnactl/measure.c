// SPDX-License-Identifier: MIT
#include "tools/nnactl/measure.h"

#include <stdlib.h>
#include <string.h>

#define MOST_STREAMS 64

static bool read_sort(const char *text, bool *by_time)
{
	*by_time = !strcmp(text, "time");
	if (*by_time || !strcmp(text, "order"))
		return true;
	nnactl_misuse("--sort is time or order, not '%s'", text);
	return false;
}

bool nnactl_measure_read(const struct nnactl_command *command, int argc, char **argv,
			 struct nnactl_measure *m, int *status)
{
	int c;

	*status = 2;
	while ((c = nnactl_option(command, argc, argv, status)) > 0) {
		if (c == 'd')
			m->device = optarg;
		else if (c == 'T')
			m->trace = optarg;
		else if (c == 'P')
			m->peaks = optarg;
		else if (c == 'g')
			m->signature = optarg;
		else if (c == 's')
			m->shared = true;
		else if (c == 'o')
			m->output = optarg;
		else if (c == 'F' && !nnactl_fallback_read(optarg, &m->fallback))
			return false;
		else if (c == 'k' && !read_sort(optarg, &m->sorted))
			return false;
		else if (c == 'S' && !nnactl_number("--streams", optarg, 1, MOST_STREAMS,
						    &m->streams))
			return false;
		else if (c == 't' && !nnactl_number("--threads", optarg, 1, 64, &m->threads))
			return false;
		else if (c == 'r' && !nnactl_number("--runs", optarg, 1, m->most_runs, &m->runs))
			return false;
	}
	if (!c)
		return false;
	if (optind + 1 != argc) {
		nnactl_misuse("%s takes one model file", command->name);
		return false;
	}
	m->path = argv[optind];
	return true;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

double nnactl_times_sort(uint64_t *times, uint32_t count)
{
	qsort(times, count, sizeof(*times), compare);
	return (double)(times[(count - 1) / 2] + times[count / 2]) / 2;
}
