/* SPDX-License-Identifier: MIT */
/*
 * Compilation caches: programs in files, by nna_program_save() and nna_program_load().
 *
 * A file holds one blob (libnnaccel/runtime/blob.h), which says itself whether it fits: nothing is
 * believed for the name of a file. Each problem is one line in the log and an error that leaves
 * nothing behind; the front end compiles then.
 *
 * Any number of processes may use a directory. A file is written under another name and then
 * renamed, so that readers find all of one blob or all of another, and the last writer wins. Files
 * are read, never mapped, and are nobody's between two calls.
 */
#ifndef NNA_CACHE_FILE_H
#define NNA_CACHE_FILE_H

#include <stdint.h>

#include "nnaccel.h"

#define NNA_CACHE_FILE_TOKEN_SIZE 32 /* bytes, of NNAPI */

/* Bytes of the largest blob that is written or read. */
#define NNA_CACHE_FILE_LIMIT (1ull << 30)

/*
 * The path of the blob for a token, a device of this name, and a preference; for the caller to
 * free. NULL without memory.
 */
char *nna_cache_file_path(const char *dir, const uint8_t *token, const char *device,
			  uint32_t preference);

/**
 * nna_cache_file_load() - a program out of a file
 * @path: of the file; only a plain one is opened
 * @limit: bytes; a larger file is not read
 *
 * The rest is nna_program_load()'s. Return: 0, -ENOENT (there is no file, which is not logged), or
 * another error.
 */
int nna_cache_file_load(const char *path, uint64_t limit, struct nna_device *device,
			struct nna_graph *graph, const struct nna_program_options *options,
			struct nna_program **out);
/* The same from an open file, from its offset on. The fd stays the caller's. */
int nna_cache_file_load_fd(int fd, uint64_t limit, struct nna_device *device,
			   struct nna_graph *graph, const struct nna_program_options *options,
			   struct nna_program **out);

/*
 * Puts a program in place of the file at @path. Return: 0, -ENOTSUP (the program cannot be saved),
 * -EFBIG (more than @limit bytes), or the error of a call to the system.
 */
int nna_cache_file_save(const char *path, uint64_t limit, const struct nna_program *program);
/* The same to an open file, at its offset. After an error there may be a part of a blob. */
int nna_cache_file_save_fd(int fd, uint64_t limit, const struct nna_program *program);

/*
 * The program of a graph: out of the file at @path or, where that has none that fits, compiled, and
 * then the file gets it. Problems of the file are lines in the log. @path may be NULL: no file.
 * Return: as nna_program_create().
 */
int nna_cache_file_make(const char *path, struct nna_device *device, struct nna_graph *graph,
			const struct nna_program_options *options, struct nna_program **out);

#endif
