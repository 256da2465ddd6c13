// SPDX-License-Identifier: MIT
/* Ranges of the types of elements. */
#include "libnnaccel/ir/type.h"

void nna_type_limits(uint8_t type, int32_t *low, int32_t *high)
{
	switch (type) {
	case NNA_TYPE_U8:
		*low = 0;
		*high = UINT8_MAX;
		break;
	case NNA_TYPE_S8:
		*low = INT8_MIN;
		*high = INT8_MAX;
		break;
	case NNA_TYPE_U16:
		*low = 0;
		*high = UINT16_MAX;
		break;
	case NNA_TYPE_S16:
		*low = INT16_MIN;
		*high = INT16_MAX;
		break;
	case NNA_TYPE_BOOL8:
		*low = 0;
		*high = 1;
		break;
	default:
		*low = INT32_MIN;
		*high = INT32_MAX;
		break;
	}
}
