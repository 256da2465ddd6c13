// SPDX-License-Identifier: MIT
/* GATHER on random shapes and indices, good and bad ones. */
#include "tests/unit/device/nna/engine/case.h"

static void verify_gather(void)
{
	const struct nnahw_cmd_gather *p = (const void *)c.raw;
	const struct nnadev_engine_operand *out = &c.cmd.operands[0], *in = &c.cmd.operands[1],
					*at = &c.cmd.operands[2];
	uint32_t index[NNAHW_MAX_RANK] = { 0 };

	do {
		uint32_t from[NNAHW_MAX_RANK], n = 0;

		for (uint32_t k = 0; k < in->desc.rank; k++) {
			if (k == p->axis) {
				from[k] = (uint32_t)number(at, index + n);
				n += at->desc.rank;
			} else {
				from[k] = index[n++];
			}
		}
		assert_memory_equal(element(out, index), element(in, from),
				    nnahw_type_size(out->desc.type));
	} while (next_index(&out->desc, index));
}

static void test_gather(void **state)
{
	struct nnahw_cmd_gather *p = (struct nnahw_cmd_gather *)c.raw;

	r.state = 31;
	for (int i = 0; i < 800; i++) {
		uint32_t in[NNAHW_MAX_RANK], at[NNAHW_MAX_RANK], out[NNAHW_MAX_RANK],
			rank = (uint32_t)rng_range(&r, 1, 4), n = 0;
		uint32_t picked = (uint32_t)rng_range(&r, 0, 3),
			 type = PICK(NNAHW_TYPE_F32, NNAHW_TYPE_F16, NNAHW_TYPE_U8, NNAHW_TYPE_S64);
		uint32_t index_type = PICK(NNAHW_TYPE_S32, NNAHW_TYPE_S64),
			 axis = (uint32_t)rng_range(&r, 0, rank - 1);
		size_t size = nnahw_type_size(index_type);
		int64_t bad;

		for (uint32_t k = 0; k < 4; k++)
			in[k] = (uint32_t)rng_range(&r, 1, 7),
			at[k] = (uint32_t)rng_range(&r, 1, 5);
		for (uint32_t k = 0; k < rank; k++) {
			if (k == axis)
				for (uint32_t j = 0; j < picked; j++)
					out[n++] = at[j];
			else
				out[n++] = in[k];
		}
		call_init(&c, NNAHW_OP_GATHER, sizeof(*p), 3);
		p->axis = axis;
		call_operand(&c, &r, 0, type, n, out, spread());
		call_operand(&c, &r, 1, type, rank, in, spread());
		call_operand(&c, &r, 2, index_type, picked, at, 0);
		for (size_t k = 0; k < c.sizes[2] / size; k++) {
			int64_t v = rng_range(&r, 0, in[axis] - 1);

			memcpy((uint8_t *)c.buffers[2] + k * size, &v, size);
		}
		run_all(verify_gather);
		bad = rng_next(&r) & 1 ? in[axis] : -rng_range(&r, 1, 5);
		memcpy((uint8_t *)c.buffers[2] + rng_next(&r) % (c.sizes[2] / size) * size, &bad,
		       size);
		for_each_isa(isa, NNADEV_ENGINE_SCALAR)
			assert_int_equal(call_run(&c, &r, isa), NNAHW_STATUS_BAD_INDEX);
		call_free(&c);
	}
}

/* All bytes in a table, whatever the quantisation says; of a short one those it has. */
static void test_gather_by_bytes(void **state)
{
	r.state = 33;
	for (int i = 0; i < 200; i++) {
		const uint32_t count = (uint32_t)rng_range(&r, 1, 700),
			       type = PICK(NNAHW_TYPE_U8, NNAHW_TYPE_S32, NNAHW_TYPE_S16),
			       index_type = PICK(NNAHW_TYPE_U8, NNAHW_TYPE_S8),
			       entries = i & 3 ? 256 : (uint32_t)rng_range(&r, 1, 255);
		const uint32_t flip = index_type == NNAHW_TYPE_S8 ? 0x80 : 0;
		const size_t size = nnahw_type_size(type);
		uint8_t *bytes;

		call_init(&c, NNAHW_OP_GATHER, sizeof(struct nnahw_cmd_gather), 3);
		call_operand(&c, &r, 0, type, 1, &count, spread());
		call_operand(&c, &r, 1, type, 1, &entries, spread());
		call_operand(&c, &r, 2, index_type, 1, &count, 0);
		operand_quantise(&c.cmd.operands[2], 0.1f, 7);
		bytes = c.buffers[2];
		for (uint32_t k = 0; k < count; k++)
			bytes[k] = (uint8_t)((uint32_t)rng_range(&r, 0, entries - 1) ^ flip);
		for_each_isa(isa, NNADEV_ENGINE_SCALAR) {
			assert_int_equal(call_run(&c, &r, isa), NNAHW_STATUS_OK);
			for (uint32_t k = 0; k < count; k++)
				assert_memory_equal(element(&c.cmd.operands[0], &k),
						    element(&c.cmd.operands[1],
							    (uint32_t[]){ bytes[k] ^ flip }),
						    size);
		}
		if (entries < 256) {
			bytes[count - 1] = (uint8_t)(entries ^ flip);
			for_each_isa(isa, NNADEV_ENGINE_SCALAR)
				assert_int_equal(call_run(&c, &r, isa), NNAHW_STATUS_BAD_INDEX);
		}
		call_free(&c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gather),
		cmocka_unit_test(test_gather_by_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
