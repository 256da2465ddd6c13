// SPDX-License-Identifier: MIT
#include "device/nna/model.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "device/nna/core/cp.h"

#define COUNT_MAX 1000000u
#define JOB_LIMIT_MS_MAX 5000u

_Static_assert(NNADEV_BASE_VECTORS <= NNADEV_MODEL_VECTORS, "the transport has enough vectors");
_Static_assert(JOB_LIMIT_MS_MAX * 1000000ull == NNAHW_JOB_LIMIT_NS, "the help says the limit");

/* ---- options --------------------------------------------------------------------------------- */

static bool set_isa(void *config, const char *value)
{
	static const struct {
		const char *name;
		enum nnadev_isa isa;
	} names[] = {
		{ "auto", NNADEV_ISA_AUTO },	 { "scalar", NNADEV_ISA_SCALAR },
		{ "avx2", NNADEV_ISA_AVX2 },	 { "avxvnni", NNADEV_ISA_AVXVNNI },
		{ "avx512", NNADEV_ISA_AVX512 },	 { "neon", NNADEV_ISA_NEON },
		{ "dotprod", NNADEV_ISA_DOTPROD }, { "i8mm", NNADEV_ISA_I8MM },
		{ "vector", NNADEV_ISA_VECTOR },
	};
	struct nnadev_params *params = config;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(value, names[i].name) == 0) {
			params->isa = names[i].isa;
			return true;
		}
	}
	return false;
}

static bool parse_number(const char *text, uint64_t min, uint64_t max, uint64_t *number)
{
	char *end;

	errno = 0;
	*number = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && !errno && !*end && *number >= min && *number <= max;
}

static bool set_job_limit(void *config, const char *value)
{
	struct nnadev_params *params = config;
	uint64_t ms;

	if (!parse_number(value, 1, JOB_LIMIT_MS_MAX, &ms))
		return false;
	params->job_limit_ns = ms * 1000000;
	return true;
}

static bool set_tick_hz(void *config, const char *value)
{
	struct nnadev_params *params = config;

	return parse_number(value, NNADEV_TICK_HZ_MIN, NNADEV_TICK_HZ_MAX, &params->tick_hz);
}

static const struct nnadev_option options[] = {
	{ 'i', "isa", "NAME",
	  "auto, scalar, vector, avx2, avxvnni, avx512, neon, dotprod or i8mm\n"
	  "(default: auto)",
	  "auto, scalar, vector, avx2, avxvnni, avx512, neon, dotprod or i8mm", set_isa },
	{ 'l', "job-limit", "MS",
	  "run time after which any job is ended, 1 to 5000 (default: 5000)",
	  "a number from 1 to 5000", set_job_limit },
	{ 'f', "tick-hz", "N",
	  "frequency of the clock that the device shows, 1000000 to 4000000000 (default:\n"
	  "1000000000)",
	  "a number from 1000000 to 4000000000", set_tick_hz },
	{ 0 },
};

/* ---- faults ---------------------------------------------------------------------------------- */

static const struct nnadev_injection injections[] = {
	{ NNADEV_INJECT_HANG, "hang", "N",
	  "the next N jobs run until aborted, reset or out of budget", COUNT_MAX, false },
	{ NNADEV_INJECT_STUCK, "stuck", "N",
	  "the next N jobs do not even react to budget and abort", COUNT_MAX, false },
	{ NNADEV_INJECT_DROP_IRQ, "drop-irq", "N",
	  "the next N interrupts are not raised", COUNT_MAX, false },
	{ NNADEV_INJECT_SPURIOUS_IRQ, "spurious-irq", "N",
	  "N interrupts on every vector, now", 10000, true },
	{ NNADEV_INJECT_CORRUPT, "corrupt", "N",
	  "the next N completions carry a sequence number that was never submitted", COUNT_MAX,
	  false },
	{ NNADEV_INJECT_REFUSE_RESET, "refuse-reset", "N",
	  "the next N resets do not become ready", COUNT_MAX, false },
	{ NNADEV_INJECT_SLOW_NS, "slow", "NS",
	  "every job takes NS nanoseconds longer", 10000000000u, false },
	{ NNADEV_INJECT_DEAD, "dead", "0|1",
	  "registers read as all ones and writes are lost, until 0 brings the device back", 1,
	  false },
	{ 0 },
};

/* ---- the device ------------------------------------------------------------------------------ */

static int create(const struct nnadev_resources *resources, const void *config, void **device)
{
	struct nnadev *dev;
	int r = nnadev_dev_create(resources->bus, resources->workers, resources->threads, config,
				  &dev);

	if (!r)
		*device = dev;
	return r;
}

static void destroy(void *device)
{
	nnadev_destroy(device);
}

static const char *describe(void *device)
{
	return nnadev_isa_name(device);
}

static uint64_t read_register(void *device, uint32_t bar, uint64_t offset, uint32_t width)
{
	return nnadev_reg_read(device, offset, width);
}

static void write_register(void *device, uint32_t bar, uint64_t offset, uint32_t width,
			   uint64_t value)
{
	nnadev_reg_write(device, offset, width, value);
}

static void reset(void *device)
{
	nnadev_reset(device);
}

static void inject(void *device, uint32_t number, uint64_t value)
{
	nnadev_inject(device, number, value);
}

_Static_assert(NNAHW_ABI_MAJOR == 1 && NNAHW_ABI_MINOR == 5, "the summary says the ABI");

const struct nnadev_model nnadev_nna_model = {
	.name = "nna",
	.summary = "NNA, ABI 1.5",
	.pci = {
		.vendor = NNAHW_PCI_VENDOR,
		.device = NNAHW_PCI_DEVICE,
		.subsystem_vendor = NNAHW_PCI_VENDOR,
		.subsystem = NNAHW_PCI_DEVICE,
		.class = NNAHW_PCI_CLASS,
		.revision = NNAHW_ABI_MAJOR,
	},
	.bars = {
		[NNAHW_PCI_REGISTER_BAR] = { NNADEV_BAR_MODEL, NNAHW_PCI_REGISTER_BAR_SIZE,
					    4 | 8 },
		[NNAHW_PCI_MSIX_BAR] = { .kind = NNADEV_BAR_MSIX },
	},
	.vectors = NNADEV_BASE_VECTORS,
	.options = options,
	.config_size = sizeof(struct nnadev_params),
	.injections = injections,
	.create = create,
	.destroy = destroy,
	.describe = describe,
	.read = read_register,
	.write = write_register,
	.reset = reset,
	.inject = inject,
};
