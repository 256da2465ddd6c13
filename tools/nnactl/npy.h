/* SPDX-License-Identifier: MIT */
/* Arrays in NumPy's files, .npy: a header that says type and shape, and the bytes in C order. */
#ifndef NNACTL_NPY_H
#define NNACTL_NPY_H

#include <nnaccel.h>

/**
 * struct nnactl_npy - an array
 * @type: the tensor type that has such elements: for a byte without a sign QUANT8_ASYMM and so on
 * @rank: of @dims; at most NNACCEL_MAX_RANK
 * @data: @size bytes in @file
 * @file: the whole file, owned
 */
struct nnactl_npy {
	enum nna_operand_type type;
	uint32_t rank;
	uint32_t dims[NNACCEL_MAX_RANK];
	const void *data;
	size_t size;
	char *file;
};

/*
 * Read a file. Return: 0, or 1 with the error printed: no such file, no array, damaged, an order or
 * a type that no tensor has. Free in both cases.
 */
int nnactl_npy_load(struct nnactl_npy *npy, const char *path);
void nnactl_npy_free(struct nnactl_npy *npy);

/* Write a tensor. Return: 0, or 1 with the error printed. */
int nnactl_npy_save(const char *path, const struct nna_io_info *info, const void *data);

/* Whether elements of the two types are stored alike: QUANT8_SYMM as QUANT8_ASYMM_SIGNED is. */
bool nnactl_npy_fits(enum nna_operand_type file, enum nna_operand_type tensor);
/* "float32", as NumPy names the elements of a tensor; "?" for one that it has no name for. */
const char *nnactl_npy_type_name(enum nna_operand_type type);

#endif
