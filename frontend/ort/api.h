/* SPDX-License-Identifier: MIT */
/*
 * Calls of ONNX Runtime. Most of its getters take an object and a place for the result; a list has
 * its length in one slot and its elements in the next.
 */
#ifndef ORT_API_H
#define ORT_API_H

#include <nnaccel.h>

#include "frontend/ort/ort_abi.h"

#define ORT_TEXT_SIZE 512

/**
 * struct ort_api - the runtime that has loaded this library
 * @table: OrtApi
 * @ep: OrtEpApi
 * @shapes: @table has ORT_TENSOR_SHAPE
 */
struct ort_api {
	ort_table table, ep;
	bool shapes;
};

/*
 * Whether a call succeeded; releases its status. @text, ORT_TEXT_SIZE bytes or NULL, gets why not.
 */
bool ort_good(const struct ort_api *api, struct ort_status *status, char *text);

/* One result of an object. */
bool ort_get(const struct ort_api *api, enum ort_slot slot, const void *object, void *out);

/*
 * The elements of a list, which the caller frees, and their number. Return: NULL without memory,
 * and when the runtime refuses.
 */
const void **ort_list(const struct ort_api *api, enum ort_slot slot, const void *object,
		      size_t *count);

__attribute__((format(printf, 3, 4))) struct ort_status *
ort_fail(const struct ort_api *api, enum ort_error code, const char *format, ...);

/**
 * struct ort_log - where the library's messages go
 * @logger: the runtime's, may be NULL
 * @error: the first error line since it was set to ""
 */
struct ort_log {
	const struct ort_api *api;
	const void *logger;
	char error[ORT_TEXT_SIZE];
};

void ort_log_line(void *log, enum nna_log_level level, const char *text);

#endif
