// SPDX-License-Identifier: MIT
/* The NNA as a model: its options, its faults and its device through the table. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "device/host/workers.h"
#include "device/models.h"
#include "device/nna/core/cp.h"
#include "device/nna/model.h"

static const struct nnadev_option *find_option(const char *name)
{
	const struct nnadev_option *at = nnadev_nna_model.options;

	while (at->name && strcmp(at->name, name) != 0)
		at++;
	assert_non_null(at->name);
	return at;
}

static bool set(struct nnadev_params *params, const char *name, const char *value)
{
	return find_option(name)->set(params, value);
}

static void test_options(void **state)
{
	static const char *const bad[] = { "",	" ",  "0",    "-1",
					  "+1", "1x", "5001", "99999999999999999999999" };
	struct nnadev_params params = { 0 };

	assert_int_equal(nnadev_nna_model.config_size, sizeof(params));
	assert_true(set(&params, "isa", "scalar"));
	assert_int_equal(params.isa, NNADEV_ISA_SCALAR);
	assert_true(set(&params, "isa", "i8mm"));
	assert_int_equal(params.isa, NNADEV_ISA_I8MM);
	assert_false(set(&params, "isa", "sse"));
	assert_true(set(&params, "job-limit", "5000"));
	assert_int_equal(params.job_limit_ns, NNAHW_JOB_LIMIT_NS);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(set(&params, "job-limit", bad[i]));
	assert_true(set(&params, "tick-hz", "1000000"));
	assert_int_equal(params.tick_hz, 1000000);
	assert_false(set(&params, "tick-hz", "999999"));
	assert_false(set(&params, "tick-hz", "4000000001"));
}

struct host {
	struct nnadev_bus bus;
	struct nnadev_workers *workers;
	void *device;
	uint32_t irqs;
};

static void count_irq(void *user, uint32_t vector)
{
	struct host *h = user;

	assert_in_range(vector, 0, nnadev_nna_model.vectors - 1);
	h->irqs++;
}

static void create(struct host *h)
{
	const struct nnadev_params config = { .isa = NNADEV_ISA_SCALAR };
	struct nnadev_resources resources = { .bus = &h->bus, .threads = 1 };

	h->irqs = 0;
	assert_int_equal(nnadev_bus_init(&h->bus, &(struct nnadev_bus_host){ count_irq, NULL, h }),
			 0);
	assert_int_equal(nnadev_workers_create(1, 0, &h->workers), 0);
	resources.workers = h->workers;
	assert_int_equal(nnadev_nna_model.create(&resources, &config, &h->device), 0);
}

static void destroy(struct host *h)
{
	nnadev_nna_model.destroy(h->device);
	nnadev_workers_destroy(h->workers);
	nnadev_bus_fini(&h->bus);
}

static uint64_t read_register(struct host *h, uint64_t offset)
{
	return nnadev_nna_model.read(h->device, NNAHW_PCI_REGISTER_BAR, offset, 4);
}

static void test_device(void **state)
{
	struct host h;

	create(&h);
	assert_string_equal(nnadev_nna_model.describe(h.device), "scalar");
	assert_int_equal(read_register(&h, NNAHW_REG_ID), NNAHW_ID_MAGIC);
	assert_int_equal(read_register(&h, NNAHW_REG_MSIX_COUNT), nnadev_nna_model.vectors);
	nnadev_nna_model.write(h.device, NNAHW_PCI_REGISTER_BAR, NNAHW_REG_CONTROL, 4,
			       NNAHW_REG_CONTROL_ENABLE);
	assert_int_equal(read_register(&h, NNAHW_REG_CONTROL), NNAHW_REG_CONTROL_ENABLE);
	nnadev_nna_model.reset(h.device);
	assert_int_equal(read_register(&h, NNAHW_REG_CONTROL), 0);
	assert_int_equal(read_register(&h, NNAHW_REG_STATUS), NNAHW_REG_STATUS_READY);
	destroy(&h);
}

static const struct nnadev_injection *find_injection(const char *name)
{
	const struct nnadev_injection *at = nnadev_nna_model.injections;

	while (at->name && strcmp(at->name, name) != 0)
		at++;
	assert_non_null(at->name);
	return at;
}

static void inject(struct host *h, const char *name, uint64_t value)
{
	nnadev_nna_model.inject(h->device, find_injection(name)->number, value);
}

/* Every fault of enum nnadev_inject has a name, and the names mean what they say. */
static void test_injections(void **state)
{
	static const char *const names[] = {
		"hang",	   "stuck",	   "drop-irq", "spurious-irq",
		"corrupt", "refuse-reset", "slow",     "dead",
	};
	const uint32_t last = NNADEV_INJECT_DEAD;
	struct nnadev *dev;
	struct host h;

	create(&h);
	dev = h.device;
	assert_int_equal(sizeof(names) / sizeof(names[0]), last);
	for (uint32_t i = 0; i < last; i++) {
		assert_int_equal(find_injection(names[i])->number, i + 1);
		if (find_injection(names[i])->once)
			continue;
		inject(&h, names[i], 1);
		assert_int_equal(dev->base.inject[i + 1], 1);
		if (i + 1 == NNADEV_INJECT_DEAD)
			assert_int_equal(read_register(&h, NNAHW_REG_ID), UINT32_MAX);
		inject(&h, names[i], 0);
		assert_int_equal(dev->base.inject[i + 1], 0);
	}
	assert_null(find_injection("dead")[1].name);
	inject(&h, "spurious-irq", 3);
	assert_int_equal(h.irqs, 3 * nnadev_nna_model.vectors);
	inject(&h, "drop-irq", 2);
	inject(&h, "spurious-irq", 1);
	assert_int_equal(h.irqs, 4 * nnadev_nna_model.vectors - 2);
	destroy(&h);
}

static void test_models(void **state)
{
	char names[64];

	assert_ptr_equal(nnadev_models[0], &nnadev_nna_model);
	assert_ptr_equal(nnadev_models_find("nna"), &nnadev_nna_model);
	assert_null(nnadev_models_find("nn"));
	assert_null(nnadev_models_find(""));
	nnadev_models_list(names, sizeof(names));
	assert_non_null(strstr(names, "nna"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_options),
		cmocka_unit_test(test_device),
		cmocka_unit_test(test_injections),
		cmocka_unit_test(test_models),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
