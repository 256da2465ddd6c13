/* SPDX-License-Identifier: MIT */
/*
 * Numbers by name out of a flexbuffer: the options of a custom operator.
 *
 * A flexbuffer is read from its end: the last byte is the width of the root value, the byte before
 * it the root's type. A map lies in memory as the distance to its keys, the width of a key, the
 * count, the values, and one byte of type for each value. Every read is checked against the buffer,
 * which may be damaged or hostile; nothing is allocated or stored.
 */
#ifndef FLEXBUFFER_H
#define FLEXBUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * flexbuffer_number() - one number of a map
 * @data: of any alignment
 * @size: bytes
 * @key: its name
 * @value: gets an integer, float or boolean as a double; unchanged if there is none
 *
 * Return: whether the buffer is a map that has a number of this name.
 */
bool flexbuffer_number(const uint8_t *data, size_t size, const char *key, double *value);

#endif
