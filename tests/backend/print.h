/* SPDX-License-Identifier: MIT */
/* The second backend of the tests: its program is text. */
#ifndef TESTS_BACKEND_PRINT_H
#define TESTS_BACKEND_PRINT_H

#include "libnnaccel/backend/backend.h"

extern const struct nna_backend nna_backend_print;

#endif
