// SPDX-License-Identifier: MIT
/* The HAL's cache files (cache.h). */
#include "hal-bridge/service/cache.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "libnnaccel/support/cache_file.h"
#include "libnnaccel/support/message.h"

int nnb_model_cache_save(int fd, const uint8_t token[NNB_TOKEN_BYTES],
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

int nnb_model_cache_load(int fd, const uint8_t token[NNB_TOKEN_BYTES], struct nna_device *device,
			 const struct nna_program_options *options, struct nna_program **out)
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
