/* SPDX-License-Identifier: MIT */
/*
 * A run that is repeated: outputs that become inputs of the next run (the cache of a decoder), and
 * arrays that hold an input for every run (its tokens and positions).
 */
#ifndef NNACTL_LOOP_H
#define NNACTL_LOOP_H

#include "tools/nnactl/npy.h"
#include "tools/nnactl/outputs.h"

#define NNACTL_MAX_LOOPS 256u
#define NNACTL_MOST_STEPS 1000000

/**
 * struct nnactl_loop - what --loop and --steps say; zeros at first
 * @count: pairs
 * @pairs: names from the command line, and the numbers that nnactl_loop_find() finds
 * @steps: runs in all; 0: as many as the arrays have, or 2
 */
struct nnactl_loop {
	uint32_t count, steps;
	struct {
		const char *out_name, *in_name;
		uint32_t out, in;
	} pairs[NNACTL_MAX_LOOPS];
};

/* Take OUT=IN, which is changed. Return: false with the error printed. */
bool nnactl_loop_add(struct nnactl_loop *loop, char *text);

/* Find the pairs in the model. Return: 0, or 1 with the error printed. */
int nnactl_loop_find(struct nnactl_loop *loop, const struct nnactl_session *session);

/* See that each output has its input's type, shape and quantisation. Return: as above. */
int nnactl_loop_check(const struct nnactl_loop *loop, const struct nnactl_session *session);

/* Whether input @index is fed. */
bool nnactl_loop_feeds(const struct nnactl_loop *loop, uint32_t index);

/* Copy outputs to inputs; @inputs holds the bytes of each. */
void nnactl_loop_feed(const struct nnactl_loop *loop, const struct nnactl_outputs *outputs,
		      uint8_t *const *inputs);

#endif
