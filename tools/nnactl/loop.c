// SPDX-License-Identifier: MIT
#include "tools/nnactl/loop.h"

#include <string.h>

bool nnactl_loop_add(struct nnactl_loop *loop, char *text)
{
	char *equals = strrchr(text, '=');

	if (loop->count == NNACTL_MAX_LOOPS) {
		nnactl_misuse("--loop: at most %u are possible", NNACTL_MAX_LOOPS);
		return false;
	}
	if (!equals || equals == text || !equals[1]) {
		nnactl_misuse("--loop %s: OUT=IN is wanted, an output and the input that it "
			      "becomes", text);
		return false;
	}
	*equals = 0;
	loop->pairs[loop->count].out_name = text;
	loop->pairs[loop->count++].in_name = equals + 1;
	return true;
}

int nnactl_loop_find(struct nnactl_loop *loop, const struct nnactl_session *s)
{
	for (uint32_t i = 0; i < loop->count; i++) {
		if (!nnactl_session_find(s, false, loop->pairs[i].out_name, "--loop",
					 &loop->pairs[i].out) ||
		    !nnactl_session_find(s, true, loop->pairs[i].in_name, "--loop",
					 &loop->pairs[i].in))
			return 1;
		for (uint32_t k = 0; k < i; k++)
			if (loop->pairs[k].in == loop->pairs[i].in)
				return nnactl_error("--loop feeds input %s twice",
						    loop->pairs[i].in_name);
	}
	return 0;
}

static bool is_alike(const struct nna_io_info *a, const struct nna_io_info *b)
{
	return a->type == b->type && a->rank == b->rank && a->size == b->size &&
	       !memcmp(a->dims, b->dims, a->rank * sizeof(a->dims[0])) && a->scale == b->scale &&
	       a->zero_point == b->zero_point;
}

int nnactl_loop_check(const struct nnactl_loop *loop, const struct nnactl_session *s)
{
	for (uint32_t i = 0; i < loop->count; i++) {
		char from[128], to[128];
		struct nna_io_info out, in;

		nnactl_session_io(s, false, loop->pairs[i].out, &out);
		nnactl_session_io(s, true, loop->pairs[i].in, &in);
		if (is_alike(&out, &in))
			continue;
		return nnactl_error("--loop: output %s is %s, scale %g, zero point %d, but input "
				    "%s takes %s, scale %g, zero point %d",
				    loop->pairs[i].out_name,
				    nnactl_io_describe(&out, from, sizeof(from)),
				    (double)out.scale, out.zero_point, loop->pairs[i].in_name,
				    nnactl_io_describe(&in, to, sizeof(to)), (double)in.scale,
				    in.zero_point);
	}
	return 0;
}

bool nnactl_loop_feeds(const struct nnactl_loop *loop, uint32_t index)
{
	for (uint32_t i = 0; i < loop->count; i++)
		if (loop->pairs[i].in == index)
			return true;
	return false;
}

void nnactl_loop_feed(const struct nnactl_loop *loop, const struct nnactl_outputs *outputs,
		      uint8_t *const *inputs)
{
	for (uint32_t i = 0; i < loop->count; i++)
		memcpy(inputs[loop->pairs[i].in], outputs->data[loop->pairs[i].out],
		       outputs->info[loop->pairs[i].out].size);
}
