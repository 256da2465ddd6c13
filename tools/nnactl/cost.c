// SPDX-License-Identifier: MIT
#include "tools/nnactl/cost.h"

#include <stdlib.h>
#include <string.h>

#include "tools/nnactl/listing.h"

/* Shares of the peak that matrix products reach. */
#define PRODUCTS_BEST 0.95
#define PRODUCTS_GOOD 0.80
/* And depthwise convolutions, by an estimate: each of their products needs a load of its own. */
#define DEPTHWISE_INTEGER 0.25
#define DEPTHWISE_REAL 0.5
#define COMMAND_NS 1000

static const json_t *operand_of(const json_t *command, const char *name)
{
	const json_t *operand;
	size_t i;

	json_array_foreach(json_object_get(command, "operands"), i, operand)
		if (!strcmp(json_string_value(json_object_get(operand, "name")), name))
			return operand;
	return NULL;
}

static uint64_t last_dim(const json_t *operand)
{
	const json_t *dims = json_object_get(operand, "dims");
	size_t rank = json_array_size(dims);

	return rank ? (uint64_t)json_integer_value(json_array_get(dims, rank - 1)) : 1;
}

static uint64_t field(const json_t *command, const char *name)
{
	const char *text =
		json_string_value(json_object_get(json_object_get(command, "fields"), name));

	return text ? strtoull(text, NULL, 10) : 1;
}

static uint64_t elements_of(const json_t *operand)
{
	uint64_t n = 1;
	json_t *dim;
	size_t i;

	json_array_foreach(json_object_get(operand, "dims"), i, dim)
		n *= (uint64_t)json_integer_value(dim);
	return n;
}

static uint64_t macs_of(const json_t *command, uint64_t outputs)
{
	const char *name = json_string_value(json_object_get(command, "name"));
	uint64_t window = field(command, "kernel_h") * field(command, "kernel_w");

	if (!strcmp(name, "MATMUL"))
		return outputs * last_dim(operand_of(command, "a"));
	if (!strcmp(name, "DWCONV"))
		return outputs * window;
	if (!strcmp(name, "CONV"))
		return outputs * window * last_dim(operand_of(command, "input")) /
		       field(command, "groups");
	return 0;
}

/* All of an operand, but for what a GATHER takes elements out of: as many of it as it writes. */
static uint64_t bytes_of(const json_t *command, const json_t *operand, uint64_t outputs)
{
	const char *name = json_string_value(json_object_get(operand, "name"));
	uint64_t bytes = nnactl_listing_bytes(operand), elements = elements_of(operand);

	if (strcmp(json_string_value(json_object_get(command, "name")), "GATHER") ||
	    strcmp(name, "input") || elements <= outputs)
		return bytes;
	return bytes / elements * outputs;
}

/* True if a command multiplies floats. Sums of 8-bit products may be F32. */
static bool multiplies_floats(const json_t *command)
{
	const json_t *input = operand_of(command, "input");
	const char *type;

	input = input ? input : operand_of(command, "a");
	type = json_string_value(json_object_get(input, "type"));
	return type && type[0] == 'F';
}

struct nnactl_cost nnactl_cost_of(const json_t *command)
{
	const json_t *output = operand_of(command, "output"), *operand;
	const char *type = json_string_value(json_object_get(output, "type"));
	const uint64_t outputs = elements_of(output);
	struct nnactl_cost c = { .macs = macs_of(command, outputs) };
	size_t i;

	c.real = c.macs && multiplies_floats(command);
	c.depthwise = !strcmp(json_string_value(json_object_get(command, "name")), "DWCONV");
	if (c.macs && type && !strcmp(type + 1, "8"))
		c.requantised = outputs;
	json_array_foreach(json_object_get(command, "operands"), i, operand)
		c.bytes += bytes_of(command, operand, outputs);
	return c;
}

/* Of the smallest working set that is measured and holds so many bytes, or of the largest. */
static double memory_rate(const struct nnactl_peaks *p, uint64_t bytes)
{
	uint32_t i = 0;

	while (i < NNACTL_PEAKS_MEMORY - 1 && p->memory[i].bytes < bytes)
		i++;
	return p->memory[i].rate;
}

/* In ns. */
static double time_of(uint64_t amount, double rate)
{
	return rate > 0 ? 1e9 * (double)amount / rate : 0;
}

static double longer(double a, double b)
{
	return a > b ? a : b;
}

double nnactl_cost_at_peak(const struct nnactl_cost *c, const struct nnactl_peaks *p)
{
	return time_of(c->macs, c->real ? p->real : p->integer);
}

double nnactl_cost_roofline(const struct nnactl_cost *c, const struct nnactl_peaks *p)
{
	return longer(nnactl_cost_at_peak(c, p), time_of(c->bytes, memory_rate(p, c->bytes)));
}

void nnactl_cost_bound(const struct nnactl_cost *c, const struct nnactl_peaks *p, double *low,
		       double *high)
{
	const double products = nnactl_cost_at_peak(c, p),
		     depthwise = c->real ? DEPTHWISE_REAL : DEPTHWISE_INTEGER,
		     memory = time_of(c->bytes, memory_rate(p, c->bytes)),
		     requantised = time_of(c->requantised, p->requantised);
	double best = c->depthwise ? depthwise : PRODUCTS_BEST,
	       good = c->depthwise ? depthwise : PRODUCTS_GOOD;

	*low = *high = 0;
	if (!*p->isa)
		return;
	*low = COMMAND_NS + longer(products / best + requantised, memory);
	*high = COMMAND_NS + longer(products / good + requantised, memory);
}
