/* SPDX-License-Identifier: MIT */
/* Command streams of an Ethos-U as text: nnactl dump of a file that has one, without a device. */
#ifndef NNACTL_STREAM_H
#define NNACTL_STREAM_H

#include "libnnaccel/backend/ethosu/stream.h"
#include "tools/nnactl/nnactl.h"

/*
 * Print the streams of a file: Vela's in a .tflite, a payload of Vela's, or bare words, whose
 * generation is @generation where nothing else tells it. Return: the exit status; -1: it has no
 * stream, and nothing is printed.
 */
int nnactl_stream_dump(const char *path, enum nna_ethosu_generation generation);

#endif
