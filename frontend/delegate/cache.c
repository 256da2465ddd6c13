// SPDX-License-Identifier: MIT
/*
 * The cache files of a delegate (libnnaccel/support/cache_file.h). The digest of a graph is the
 * token in the name of its file. nna_program_load() compares the whole graph, so a collision of
 * names cannot load another graph's program.
 */
#include "frontend/delegate/cache.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/delegate/log.h"
#include "libnnaccel/support/cache_file.h"

/* The kind of device in a file's name: a program for the loopback does not run on a device node. */
static const char *kind_of(const struct delegate *delegate)
{
	struct nna_device_info info;

	nna_device_get_info(delegate->device, &info);
	return info.loopback ? "loopback" : "nna";
}

static char *find_path(const struct delegate *delegate, const struct nna_graph *graph)
{
	uint8_t token[NNA_CACHE_FILE_TOKEN_SIZE] = { 0 };
	uint64_t identity[2];

	nna_graph_identify(graph, identity);
	memcpy(token, identity, sizeof(identity));
	return nna_cache_file_path(delegate->options.cache_dir, token, kind_of(delegate), 0);
}

int delegate_program_create(const struct delegate *delegate, struct nna_graph *graph,
			    const struct nna_program_options *options, struct nna_program **out)
{
	char *path;
	int ret;

	if (!delegate->options.cache_dir[0])
		return nna_program_create(delegate->device, graph, options, out);
	path = find_path(delegate, graph);
	if (!path)
		return -ENOMEM;
	ret = nna_cache_file_load(path, NNA_CACHE_FILE_LIMIT, delegate->device, graph, options,
				  out);
	if (!ret) {
		delegate_log(delegate, NNA_LOG_INFO, "loaded %s", path);
		goto out;
	}
	if (ret != -ENOENT)
		delegate_log(delegate, NNA_LOG_WARNING, "cannot use %s: %s", path,
			     strerror(-ret));
	ret = nna_program_create(delegate->device, graph, options, out);
	if (ret)
		goto out;
	ret = nna_cache_file_save(path, NNA_CACHE_FILE_LIMIT, *out);
	if (ret)
		delegate_log(delegate, ret == -ENOTSUP ? NNA_LOG_INFO : NNA_LOG_WARNING,
			     "cannot write %s: %s", path, strerror(-ret));
	ret = 0;
out:
	free(path);
	return ret;
}
