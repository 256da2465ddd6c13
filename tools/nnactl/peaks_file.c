// SPDX-License-Identifier: MIT
#include "tools/nnactl/peaks_file.h"

#include <stdio.h>

#include "tools/nnactl/nnactl.h"

#define MOST_THREADS 4096

json_t *nnactl_peaks_json(const struct nnactl_peaks *p)
{
	json_t *memory = json_array();

	for (uint32_t i = 0; i < NNACTL_PEAKS_MEMORY; i++)
		json_array_append_new(memory, json_pack("{s:I, s:f}", "bytes",
							(json_int_t)p->memory[i].bytes, "gb_s",
							1e-9 * p->memory[i].rate));
	return json_pack("{s:s, s:i, s:f, s:f, s:f, s:o}", "isa", p->isa, "threads",
			 (int)p->threads, "int8_gops", 2e-9 * p->integer, "fp32_gflops",
			 2e-9 * p->real, "requantised_g_s", 1e-9 * p->requantised, "memory",
			 memory);
}

/* Return: false where something is not there, or is no rate. */
static bool read_peaks(const json_t *from, uint32_t threads, struct nnactl_peaks *p)
{
	json_t *memory;
	const char *isa;
	double scale;
	int measured;

	/* A number may be written without a point, so it is an int to jansson. */
	if (json_unpack((json_t *)from, "{s:s, s:i, s:F, s:F, s:F, s:o}", "isa", &isa, "threads",
			&measured, "int8_gops", &p->integer, "fp32_gflops", &p->real,
			"requantised_g_s", &p->requantised, "memory", &memory) ||
	    measured < 1 || measured > MOST_THREADS || !*isa ||
	    json_array_size(memory) != NNACTL_PEAKS_MEMORY)
		return false;
	scale = (double)threads / measured;
	p->integer *= scale * 0.5e9;
	p->real *= scale * 0.5e9;
	p->requantised *= scale * 1e9;
	if (!(p->integer > 0) || !(p->real > 0) || !(p->requantised > 0))
		return false;
	for (size_t i = 0; i < NNACTL_PEAKS_MEMORY; i++) {
		json_int_t bytes;

		if (json_unpack(json_array_get(memory, i), "{s:I, s:F}", "bytes", &bytes, "gb_s",
				&p->memory[i].rate) ||
		    bytes < 1 || !(p->memory[i].rate > 0))
			return false;
		p->memory[i].bytes = (uint64_t)bytes;
		p->memory[i].rate *= scale * 1e9;
	}
	snprintf(p->isa, sizeof(p->isa), "%s", isa);
	p->threads = threads;
	return true;
}

int nnactl_peaks_load(const char *path, uint32_t threads, struct nnactl_peaks *peaks)
{
	json_t *file = json_load_file(path, 0, NULL);
	bool good;

	*peaks = (struct nnactl_peaks){ 0 };
	good = file && read_peaks(json_object_get(file, "peaks"), threads, peaks);
	json_decref(file);
	return good ? 0 :
		      nnactl_error("%s has no peaks of a machine: nnactl profile --device loopback "
				   "--json writes them", path);
}
