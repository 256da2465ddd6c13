/* SPDX-License-Identifier: MIT */
/*
 * Cache files: compiled programs in files, by nna_program_save() and nna_program_load().
 *
 * A file holds one blob (libnnaccel/runtime/blob.h). The blob itself identifies its program; the
 * name of the file is not trusted. Each problem is logged and returned as an error without side
 * effects, after which the front end compiles.
 *
 * Any number of processes may use a directory. A file is written under another name and then
 * renamed. So readers see a complete blob, old or new, and the last writer wins. Files are read and
 * never mapped, and no file stays open between two calls.
 */
#ifndef NNA_CACHE_FILE_H
#define NNA_CACHE_FILE_H

#include <stdint.h>

#include "nnaccel.h"

#define NNA_CACHE_FILE_TOKEN_SIZE 32 /* bytes, of NNAPI */

/* Bytes of the largest blob that is written or read. */
#define NNA_CACHE_FILE_LIMIT (1ull << 30)

/*
 * Return: the path of the blob for a token, a device name and a preference, which the caller frees;
 * NULL without memory.
 */
char *nna_cache_file_path(const char *dir, const uint8_t *token, const char *device,
			  uint32_t preference);

/**
 * nna_cache_file_load() - load a program from a file
 * @path: of the file; only a regular file is opened
 * @limit: bytes; a larger file is not read
 * @device: as for nna_program_load(), like the arguments below
 * @graph: see @device
 * @options: see @device
 * @out: see @device
 *
 * Return: 0, -ENOENT (there is no file, which is not logged), or another error.
 */
int nna_cache_file_load(const char *path, uint64_t limit, struct nna_device *device,
			struct nna_graph *graph, const struct nna_program_options *options,
			struct nna_program **out);
/* Loads a program from an open file, from its offset on. The fd stays the caller's. */
int nna_cache_file_load_fd(int fd, uint64_t limit, struct nna_device *device,
			   struct nna_graph *graph, const struct nna_program_options *options,
			   struct nna_program **out);

/*
 * Replaces the file at @path by a program. Return: 0, -ENOTSUP (the program cannot be saved),
 * -EFBIG (more than @limit bytes), or the error of a system call.
 */
int nna_cache_file_save(const char *path, uint64_t limit, const struct nna_program *program);
/*
 * Writes a program to an open file, at its offset. After an error the file may hold a part of a
 * blob.
 */
int nna_cache_file_save_fd(int fd, uint64_t limit, const struct nna_program *program);

/*
 * Creates the program of a graph: loads it from the file at @path, or compiles it and saves it
 * there if the file does not fit. Problems of the file are logged. @path may be NULL for no file.
 * Return: as nna_program_create().
 */
int nna_cache_file_make(const char *path, struct nna_device *device, struct nna_graph *graph,
			const struct nna_program_options *options, struct nna_program **out);

#endif
