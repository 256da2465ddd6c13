/* SPDX-License-Identifier: MIT */
/* What the backend has made of an ir, on the device model. */
#ifndef TESTS_UNIT_LIBNNACCEL_BACKEND_ETHOSU_RUN_H
#define TESTS_UNIT_LIBNNACCEL_BACKEND_ETHOSU_RUN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "device/ethosu/registers.h"
#include "libnnaccel/ir/ir.h"
#include "tests/ethosu/machine.h"

#define RUN_CONSTANTS 1u /* regions */
#define RUN_MAPS 2u

/* Memory as the planner would give it, but that nothing shares any. */
static inline void run_plan(struct nna_lower *l)
{
	uint64_t at[3] = { 0 };

	for (uint32_t i = 0; i < l->storage_count; i++) {
		struct nna_storage *s = &l->storages[i];

		s->slot = s->kind == NNA_STORAGE_CONSTANT ? RUN_CONSTANTS : RUN_MAPS;
		s->offset = at[s->slot];
		at[s->slot] += (s->size + 63) / 64 * 64;
	}
}

/*
 * Runs a stream with the strict checks, which have nothing to report. @numbers: values of the
 * result and of the input. @got: the result.
 */
static inline void run_stream(const struct ethosu_config *config, const struct nna_lower *l,
			      const uint32_t *numbers, const void *input, const uint32_t *words,
			      uint32_t count, uint8_t *got)
{
	const struct ethosu_settings settings = { .strict = true };
	const struct nna_storage *out = &l->storages[l->values[numbers[0]].storage];
	const struct nna_storage *in = &l->storages[l->values[numbers[1]].storage];
	uint64_t sizes[3] = { 0 };
	uint8_t *memory[3];
	struct test_ethosu test;

	for (uint32_t i = 0; i < l->storage_count; i++)
		sizes[l->storages[i].slot] = l->storages[i].offset + l->storages[i].size;
	test_ethosu_create_with(&test, config, 1, &settings);
	for (uint32_t i = RUN_CONSTANTS; i <= RUN_MAPS; i++)
		memory[i] = test_ethosu_memory(&test, i, sizes[i] + 1);
	for (uint32_t i = 0; i < l->storage_count; i++)
		if (l->storages[i].kind == NNA_STORAGE_CONSTANT)
			memcpy(memory[RUN_CONSTANTS] + l->storages[i].offset, l->storages[i].data,
			       l->storages[i].size);
	memcpy(memory[RUN_MAPS] + in->offset, input, in->size);
	memcpy(test_ethosu_memory(&test, ETHOSU_REGIONS, (uint64_t)count * 4), words,
	       (size_t)count * 4);
	test_ethosu_reset(&test);
	test_ethosu_start(&test);
	assert_true(test_ethosu_wait(&test) & ETHOSU_STATUS_END);
	assert_int_equal(test.reports, 0);
	memcpy(got, memory[RUN_MAPS] + out->offset, out->size);
	test_ethosu_destroy(&test);
}

#endif
