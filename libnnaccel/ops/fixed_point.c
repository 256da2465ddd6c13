// SPDX-License-Identifier: MIT
/* Tables of the functions of 16-bit fixed-point numbers (see fixed_point.h). */
#include "libnnaccel/ops/fixed_point.h"

#include "libnnaccel/ir/ir.h"
#include "libnnaccel/ops/op_util.h"

/*
 * Return: a constant that holds the tables of @count functions from @first on, one behind the
 * other. A lowering makes it once: *known is 0 before, then the number of its storage plus 1.
 */
static int64_t tables(struct nna_lower *l, uint32_t *known, enum nna_fixed_function first,
		      uint32_t count, uint32_t integer_bits)
{
	const uint32_t dims[] = { count * NNA_FIXED_ENTRIES };
	struct nna_value v = {
		.type = NNA_TYPE_S16, .rank = 1, .dims = { dims[0] }, .strides = { 1 },
		.scale = 0x1p-15f,
	};
	int16_t *table;
	int64_t value;

	if (*known) {
		v.storage = *known - 1;
		return nna_value_add(l, &v);
	}
	table = calloc(dims[0], sizeof(*table));
	if (!table)
		return -ENOMEM;
	for (uint32_t i = 0; i < count && !l->trial; i++)
		nna_fixed_tabulate((enum nna_fixed_function)(first + i), integer_bits,
				   table + i * NNA_FIXED_ENTRIES);
	value = nna_lower_constant(l, NNA_TYPE_S16, 1, dims, 0x1p-15f, 0, table);
	free(table);
	if (value >= 0)
		*known = l->values[value].storage + 1;
	return value;
}

int64_t nna_fixed_gate_tables(struct nna_lower *l)
{
	return tables(l, &l->shared[NNA_FIXED_GATE_BITS], NNA_FIXED_LOGISTIC, 2,
		      NNA_FIXED_GATE_BITS);
}

int64_t nna_fixed_table(struct nna_lower *l, enum nna_fixed_function function,
			uint32_t integer_bits)
{
	int64_t both;

	if (integer_bits > 6)
		return -ENOTSUP;
	if (integer_bits != NNA_FIXED_GATE_BITS)
		return tables(l, &l->shared[function * 8 + integer_bits], function, 1,
			      integer_bits);
	both = nna_fixed_gate_tables(l);
	return both < 0 ? both : nna_view_slice(l, (uint32_t)both, 0, function * NNA_FIXED_ENTRIES,
						1, NNA_FIXED_ENTRIES);
}

int nna_fixed_lookup_from(struct nna_lower *l, uint32_t out, uint32_t in, uint32_t table,
			  uint32_t lowest)
{
	struct nna_ir_op gather = { .kind = NNA_IR_GATHER };
	int ret;

	NNA_VALUE(plain, nna_view_retype(l, in, NNA_TYPE_S16, 0, 0));
	NNA_VALUE(index, nna_do_scratch_like(l, NNA_TYPE_S32, in));
	ret = nna_do_ewise(l, NNA_FN_SUB, index, plain, lowest, NNA_NO_VALUE);
	return ret ?: nna_ir_add(l, &gather, (uint32_t[]){ out, table, index });
}

int nna_fixed_lookup(struct nna_lower *l, uint32_t out, uint32_t in, uint32_t table)
{
	const int32_t first = INT16_MIN;
	const uint32_t one = 1;

	NNA_VALUE(lowest, nna_lower_constant(l, NNA_TYPE_S32, 1, &one, 0, 0, &first));
	return nna_fixed_lookup_from(l, out, in, table, lowest);
}
