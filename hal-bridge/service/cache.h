/* SPDX-License-Identifier: MIT */
/*
 * The HAL's cache of compiled models: one file for each model, which the client keeps and opens. It
 * holds
 *
 *	32 bytes	the client's token
 *	the rest	the program, see libnnaccel/support/cache_file.h
 *
 * so a file is valid only with its token. The client may have moved the descriptor's offset, or
 * opened the file without the right access, so neither is relied on. A file that is not in memory
 * is read and written as a whole by a helper (helper.h), from and to a copy that is charged.
 */
#ifndef NNB_SERVICE_CACHE_H
#define NNB_SERVICE_CACHE_H

#include <stdint.h>

#include "nnaccel.h"

struct nnb_client;

#define NNB_TOKEN_BYTES 32
#define NNB_MODEL_CACHE_FILES 1
#define NNB_DATA_CACHE_FILES 0

/* Replaces the contents of the file. Return: 0 or a negative errno, with a line in the log. */
int nnb_model_cache_save(struct nnb_client *client, int fd, const uint8_t token[NNB_TOKEN_BYTES],
			 const struct nna_program *program);
/*
 * Loads a program for the client's device. Return: 0, -EBADMSG for a file with another token, or an
 * error of nna_cache_file_load_fd() or of nnb_helper_transfer().
 */
int nnb_model_cache_load(struct nnb_client *client, int fd, const uint8_t token[NNB_TOKEN_BYTES],
			 const struct nna_program_options *options, struct nna_program **out);

#endif
