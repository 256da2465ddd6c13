// SPDX-License-Identifier: MIT
#include "device/host/aperture.h"

#include <stddef.h>
#include <sys/mman.h>

#define NOTHING (MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE)

uint8_t *nnadev_aperture_reserve(uint64_t size)
{
	void *p = mmap(NULL, size, PROT_NONE, NOTHING, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

void nnadev_aperture_release(uint8_t *aperture, uint64_t size)
{
	munmap(aperture, size);
}

bool nnadev_aperture_map(uint8_t *at, struct nnadev_file *file, uint64_t offset, uint64_t size,
		       bool writable)
{
	return mmap(at, size, writable ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED | MAP_FIXED,
		    file->fd, (off_t)offset) != MAP_FAILED;
}

bool nnadev_aperture_unmap(uint8_t *at, uint64_t size)
{
	return mmap(at, size, PROT_NONE, NOTHING | MAP_FIXED, -1, 0) != MAP_FAILED;
}
