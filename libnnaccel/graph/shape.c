// SPDX-License-Identifier: MIT
/* Sizes of shapes. */
#include "libnnaccel/graph/graph.h"

bool nna_shape_elements(const struct nna_shape *shape, uint64_t *elements)
{
	uint64_t n = 1;

	if (!shape->rank_known)
		return false;
	for (uint32_t k = 0; k < shape->rank; k++) {
		if (!shape->dims[k] && !shape->final)
			return false;
		if (__builtin_mul_overflow(n, shape->dims[k], &n))
			return false;
	}
	*elements = n;
	return true;
}

bool nna_shape_bytes(const struct nna_shape *shape, size_t *bytes)
{
	uint64_t n;

	return nna_shape_elements(shape, &n) &&
	       !__builtin_mul_overflow(n, nna_operand_type_size(shape->type), bytes);
}
