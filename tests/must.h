/* SPDX-License-Identifier: MIT */
/* What a test's own set-up relies on: where it does not hold, the process ends and says where. */
#ifndef TEST_MUST_H
#define TEST_MUST_H

#include <stdio.h>
#include <stdlib.h>

#define must(x)                                                                                    \
	do {                                                                                       \
		if (!(x)) {                                                                        \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #x);                    \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

#endif
