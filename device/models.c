// SPDX-License-Identifier: MIT
#include "device/models.h"

#include <stdio.h>
#include <string.h>

#include "device/ethosu/models.h"
#include "device/nna/model.h"

/* A model is a folder here and a line in this table. */
const struct nnadev_model *const nnadev_models[] = {
	&nnadev_nna_model,
	&ethosu_u65_256_model,
	&ethosu_u65_512_model,
	&ethosu_u85_128_model,
	&ethosu_u85_256_model,
	&ethosu_u85_512_model,
	&ethosu_u85_1024_model,
	&ethosu_u85_2048_model,
	NULL,
};

const struct nnadev_model *nnadev_models_find(const char *name)
{
	for (size_t i = 0; nnadev_models[i]; i++)
		if (strcmp(name, nnadev_models[i]->name) == 0)
			return nnadev_models[i];
	return NULL;
}

void nnadev_models_list(char *names, size_t size)
{
	size_t used = 0;

	*names = 0;
	for (size_t i = 0; nnadev_models[i] && used < size; i++)
		used += (size_t)snprintf(names + used, size - used, "%s%s", i ? ", " : "",
					 nnadev_models[i]->name);
}
