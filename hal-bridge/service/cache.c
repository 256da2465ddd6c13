// SPDX-License-Identifier: MIT
/* The HAL's cache files (cache.h). */
#include "hal-bridge/service/cache.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hal-bridge/service/service.h"
#include "libnnaccel/support/cache_file.h"
#include "libnnaccel/support/message.h"

static int nnb_model_cache_save_memory(int fd, const uint8_t token[NNB_TOKEN_BYTES],
				       const struct nna_program *program)
{
	int ret = 0;

	if (ftruncate(fd, 0) || pwrite(fd, token, NNB_TOKEN_BYTES, 0) != NNB_TOKEN_BYTES ||
	    lseek(fd, NNB_TOKEN_BYTES, SEEK_SET) != NNB_TOKEN_BYTES) {
		ret = errno ? -errno : -EIO;
		nna_message(DRIVER, "hal: cannot write a cache file: %s", strerror(-ret));
		return ret;
	}
	ret = nna_cache_file_save_fd(fd, NNA_CACHE_FILE_LIMIT, program);
	/* Leave no partial file that looks like a model. */
	if (ret && ftruncate(fd, 0))
		nna_message(DRIVER, "hal: cannot write a cache file: %s", strerror(errno));
	return ret;
}

static int nnb_model_cache_load_memory(int fd, const uint8_t token[NNB_TOKEN_BYTES],
				       struct nna_device *device,
				       const struct nna_program_options *options,
				       struct nna_program **out)
{
	uint8_t found[NNB_TOKEN_BYTES];

	if (pread(fd, found, sizeof(found), 0) != sizeof(found) ||
	    memcmp(found, token, sizeof(found)) ||
	    lseek(fd, NNB_TOKEN_BYTES, SEEK_SET) != NNB_TOKEN_BYTES) {
		nna_message(DRIVER, "hal: a cache file belongs to another token");
		return -EBADMSG;
	}
	return nna_cache_file_load_fd(fd, NNA_CACHE_FILE_LIMIT, device, NULL, options, out);
}

/* ----------------------------------------------------------------- files that are not in memory */

/**
 * struct nnb_cache_copy - the contents of a file, or what they shall be
 * @client: charged with @size bytes
 * @data: owned
 * @size: bytes
 * @at: bytes that were read, or written
 */
struct nnb_cache_copy {
	struct nnb_client *client;
	uint8_t *data;
	uint64_t size, at;
};

static int nnb_cache_copy_init(struct nnb_cache_copy *copy, struct nnb_client *client,
			       uint64_t size)
{
	*copy = (struct nnb_cache_copy){.client = client};
	if (size > NNA_CACHE_FILE_LIMIT)
		return -EFBIG;
	if (!nnb_client_charge(client, size))
		return -ENOMEM;
	copy->size = size;
	copy->data = malloc(size ? size : 1);
	return copy->data ? 0 : -ENOMEM;
}

static void nnb_cache_copy_fini(struct nnb_cache_copy *copy)
{
	free(copy->data);
	nnb_client_discharge(copy->client, copy->size);
}

static int nnb_cache_copy_write(void *user, const void *data, size_t size)
{
	struct nnb_cache_copy *copy = user;

	if (size > copy->size - copy->at)
		return -EFBIG;
	memcpy(copy->data + copy->at, data, size);
	copy->at += size;
	return 0;
}

static int nnb_cache_copy_read(void *user, void *data, size_t size)
{
	struct nnb_cache_copy *copy = user;

	if (size > copy->size - copy->at)
		return -EBADMSG;
	memcpy(data, copy->data + copy->at, size);
	copy->at += size;
	return 0;
}

/* Has a helper read the file to the copy, or write the copy to it. */
static int nnb_cache_copy_transfer(struct nnb_cache_copy *copy, enum nnb_helper_op op, int fd)
{
	const struct nnb_transfer transfer = {
		.op = op,
		.fd = fd,
		.size = copy->size,
		.data = copy->data,
		.dead = &copy->client->dead,
	};

	return nnb_helper_transfer(copy->client->service, copy->client->user, &transfer);
}

static int nnb_model_cache_save_foreign(struct nnb_client *client, int fd, const uint8_t *token,
					const struct nna_program *program)
{
	struct nnb_cache_copy copy = {.client = client};
	const struct nna_blob_writer writer = {nnb_cache_copy_write, &copy};
	uint64_t size;
	int ret = nna_program_saved_size(program, &size);

	if (!ret)
		ret = nnb_cache_copy_init(&copy, client, NNB_TOKEN_BYTES + size);
	if (!ret)
		ret = nnb_cache_copy_write(&copy, token, NNB_TOKEN_BYTES);
	if (!ret)
		ret = nna_program_save(program, &writer);
	if (!ret)
		ret = nnb_cache_copy_transfer(&copy, NNB_HELPER_REPLACE, fd);
	if (ret)
		nna_message(DRIVER, "hal: cannot write a cache file: %s", strerror(-ret));
	nnb_cache_copy_fini(&copy);
	return ret;
}

static int nnb_model_cache_load_foreign(struct nnb_client *client, int fd, const uint8_t *token,
					const struct nna_program_options *options,
					struct nna_program **out)
{
	struct nnb_cache_copy copy = {.client = client};
	struct nna_blob_reader reader = {nnb_cache_copy_read, &copy, 0};
	struct stat st;
	int ret = nnb_file_stat(fd, &st);

	if (!ret && (!S_ISREG(st.st_mode) || st.st_size < NNB_TOKEN_BYTES))
		ret = -EBADMSG;
	if (!ret)
		ret = nnb_cache_copy_init(&copy, client, (uint64_t)st.st_size);
	if (!ret)
		ret = nnb_cache_copy_transfer(&copy, NNB_HELPER_READ, fd);
	if (!ret && memcmp(copy.data, token, NNB_TOKEN_BYTES))
		ret = -EBADMSG;
	if (ret) {
		nna_message(DRIVER, "hal: a cache file is not used: %s", strerror(-ret));
	} else {
		copy.at = NNB_TOKEN_BYTES;
		reader.size = copy.size - NNB_TOKEN_BYTES;
		ret = nna_program_load(client->device, NULL, options, &reader, out);
	}
	nnb_cache_copy_fini(&copy);
	return ret;
}

static bool nnb_model_cache_needs_helper(const struct nnb_client *client, int fd)
{
	return client->service->options.helpers && !nnb_file_is_memory(fd);
}

int nnb_model_cache_save(struct nnb_client *client, int fd, const uint8_t token[NNB_TOKEN_BYTES],
			 const struct nna_program *program)
{
	return nnb_model_cache_needs_helper(client, fd)
		       ? nnb_model_cache_save_foreign(client, fd, token, program)
		       : nnb_model_cache_save_memory(fd, token, program);
}

int nnb_model_cache_load(struct nnb_client *client, int fd, const uint8_t token[NNB_TOKEN_BYTES],
			 const struct nna_program_options *options, struct nna_program **out)
{
	return nnb_model_cache_needs_helper(client, fd)
		       ? nnb_model_cache_load_foreign(client, fd, token, options, out)
		       : nnb_model_cache_load_memory(fd, token, client->device, options, out);
}
