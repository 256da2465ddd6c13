/* SPDX-License-Identifier: MIT */
/* The peaks of a machine as JSON, for those who measure a device that computes elsewhere. */
#ifndef NNACTL_PEAKS_FILE_H
#define NNACTL_PEAKS_FILE_H

#include <jansson.h>

#include "tools/nnactl/peaks.h"

json_t *nnactl_peaks_json(const struct nnactl_peaks *peaks);
/*
 * The "peaks" of what nnactl profile has printed to file @path, in proportion for @threads. Return:
 * 0, or 1 with the error printed.
 */
int nnactl_peaks_load(const char *path, uint32_t threads, struct nnactl_peaks *peaks);

#endif
