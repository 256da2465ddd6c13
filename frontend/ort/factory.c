// SPDX-License-Identifier: MIT
/*
 * The devices that a session can choose: the accelerators that the runtime has found, and the model
 * of one in this process, which stands beside the CPU.
 */
#include "frontend/ort/factory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/ort/ep.h"

#define EXPORT __attribute__((visibility("default")))
#define NNA_VENDOR 0x1234u
#define NNA_DEVICE 0x4e41u
/* Of a node's path. */
#define NODE_SIZE 64

/**
 * struct factory - one for each registration
 * @factory: what the runtime has; first
 */
struct factory {
	struct ort_factory factory;
	struct ort_api api;
};

static const char *get_name(const struct ort_factory *self)
{
	return ORT_EP_NAME;
}

static const char *get_vendor(const struct ort_factory *self)
{
	return "nnaccel";
}

static uint32_t get_vendor_id(const struct ort_factory *self)
{
	return NNA_VENDOR;
}

static const char *get_version(const struct ort_factory *self)
{
	return nna_version();
}

/* Numbers of the hardware, which are returned and cannot fail. */
static uint32_t number_of(const struct ort_api *api, enum ort_slot slot, const void *hardware)
{
	return ((uint32_t (*)(const void *))api->table[slot])(hardware);
}

static bool is_nna(const struct ort_api *api, const void *hardware)
{
	return number_of(api, ORT_HARDWARE_TYPE, hardware) == ORT_NPU &&
	       number_of(api, ORT_HARDWARE_VENDOR, hardware) == NNA_VENDOR &&
	       number_of(api, ORT_HARDWARE_DEVICE, hardware) == NNA_DEVICE;
}

/*
 * The node of an accelerator. Later versions of the runtime say its number; for others it is the
 * first one that can be opened. One that went away since has a name, too, so that opening it fails:
 * "auto" would go on in this process.
 */
static void find_node(const struct ort_api *api, const void *hardware, char *path)
{
	const void *(*pairs_of)(const void *) =
		(const void *(*)(const void *))api->table[ORT_HARDWARE_METADATA];
	const char *(*value_of)(const void *, const char *) =
		(const char *(*)(const void *, const char *))api->table[ORT_GET_PAIR];
	const void *pairs = pairs_of(hardware);
	const char *number = pairs ? value_of(pairs, "accel_idx") : NULL;

	if (number && *number && strspn(number, "0123456789") == strlen(number) &&
	    strlen(number) < 10)
		snprintf(path, NODE_SIZE, "/dev/accel/accel%s", number);
	else if (nna_device_find(0, path, NODE_SIZE))
		snprintf(path, NODE_SIZE, "/dev/accel/accel0");
}

static struct ort_status *add_device(struct factory *f, const void *hardware, const char *device,
				     void **out)
{
	struct ort_status *(*create)(struct ort_factory *, const void *, const void *, const void *,
				     void **) =
		(struct ort_status *(*)(struct ort_factory *, const void *, const void *,
					const void *, void **))f->api.ep[ORT_EP_CREATE_DEVICE];
	void (*make)(void **) = (void (*)(void **))f->api.table[ORT_CREATE_PAIRS];
	void (*put)(void *, const char *, const char *) =
		(void (*)(void *, const char *, const char *))f->api.table[ORT_ADD_PAIR];
	void (*release)(void *) = (void (*)(void *))f->api.table[ORT_RELEASE_PAIRS];
	struct ort_status *status;
	void *metadata = NULL;

	make(&metadata);
	put(metadata, "nnaccel_device", device);
	status = create(&f->factory, hardware, metadata, NULL, out);
	release(metadata);
	return status;
}

/* Accelerators first; then the loopback, with the first CPU. */
static struct ort_status *get_devices(struct ort_factory *self, const void *const *hardware,
				      size_t count, void **devices, size_t room, size_t *found)
{
	struct factory *f = (struct factory *)self;
	struct ort_status *status = NULL;
	char path[NODE_SIZE];

	*found = 0;
	for (size_t i = 0; i < count && *found < room && !status; i++)
		if (is_nna(&f->api, hardware[i])) {
			find_node(&f->api, hardware[i], path);
			status = add_device(f, hardware[i], path, &devices[*found]);
			*found += !status;
		}
	for (size_t i = 0; i < count && *found < room && !status; i++)
		if (number_of(&f->api, ORT_HARDWARE_TYPE, hardware[i]) == ORT_CPU) {
			status = add_device(f, hardware[i], "loopback", &devices[*found]);
			*found += !status;
			break;
		}
	return status;
}

/*
 * A policy as PREFER_NPU gives all devices that were found, the loopback as well: it is there for
 * machines without an accelerator, and gives way to one.
 */
static struct ort_status *create_ep(struct ort_factory *self, const void *const *hardware,
				    const void *const *metadata, size_t count, const void *options,
				    const void *logger, struct ort_ep **ep)
{
	struct factory *f = (struct factory *)self;
	char device[NODE_SIZE] = "loopback";
	size_t accelerators = 0;

	*ep = NULL;
	for (size_t i = 0; i < count; i++)
		if (is_nna(&f->api, hardware[i]) && !accelerators++)
			find_node(&f->api, hardware[i], device);
	if (accelerators > 1 || (!accelerators && count != 1))
		return ort_fail(&f->api, ORT_INVALID_ARGUMENT, "a session runs on one device, not "
				"on %zu", accelerators ?: count);
	return ort_ep_create(&f->api, device, options, logger, ep);
}

static void release_ep(struct ort_factory *self, struct ort_ep *ep)
{
	ort_ep_destroy(ep);
}

/* No compiled models are made, so that none is compatible: 3 is unsupported. */
static struct ort_status *validate(struct ort_factory *self, const void *const *hardware,
				   size_t count, const char *info, int *compatibility)
{
	*compatibility = 3;
	return NULL;
}

/* Memory is the host's, without an allocator of our own, streams or transfers. */
static struct ort_status *create_allocator(struct ort_factory *self, const void *memory,
					   const void *options, void **allocator)
{
	*allocator = NULL;
	return NULL;
}

static void release_allocator(struct ort_factory *self, void *allocator)
{
}

static struct ort_status *create_transfer(struct ort_factory *self, void **transfer)
{
	*transfer = NULL;
	return NULL;
}

static bool is_stream_aware(const struct ort_factory *self)
{
	return false;
}

static struct ort_status *create_stream(struct ort_factory *self, const void *device,
					const void *options, void **stream)
{
	*stream = NULL;
	return NULL;
}

/*
 * The table with ORT_TENSOR_SHAPE, or NULL. By the version: a runtime that is older prints a line
 * when it is asked for it.
 */
static ort_table newer_table(const struct ort_api_base *base)
{
	const char *version = base->get_version();
	unsigned int major, minor;

	if (!version || sscanf(version, "%u.%u", &major, &minor) != 2 ||
	    (major < 2 && minor < ORT_VERSION_SHAPES))
		return NULL;
	return base->get_api(ORT_VERSION_SHAPES);
}

EXPORT struct ort_status *CreateEpFactories(const char *name, const struct ort_api_base *base,
					    const void *logger, struct ort_factory **factories,
					    size_t room, size_t *count)
{
	ort_table table = base->get_api(ORT_VERSION);
	struct factory *f;

	*count = 0;
	if (!table) {
		/* There is no table to make a status with. */
		fprintf(stderr, "nnaccel: ONNX Runtime %s is too old; supported: 1.%u and later\n",
			base->get_version(), ORT_VERSION);
		return NULL;
	}
	f = calloc(1, sizeof(*f));
	if (!f || !room) {
		const struct ort_api api = { .table = table };

		free(f);
		return ort_fail(&api, ORT_FAIL, "no memory");
	}
	f->api.table = newer_table(base);
	f->api.shapes = f->api.table;
	if (!f->api.shapes)
		f->api.table = table;
	f->api.ep = ((ort_table (*)(void))table[ORT_EP_API])();
	f->factory = (struct ort_factory){
		.version = ORT_VERSION,
		.get_name = get_name,
		.get_vendor = get_vendor,
		.get_devices = get_devices,
		.create_ep = create_ep,
		.release_ep = release_ep,
		.get_vendor_id = get_vendor_id,
		.get_version = get_version,
		.validate = validate,
		.create_allocator = create_allocator,
		.release_allocator = release_allocator,
		.create_transfer = create_transfer,
		.is_stream_aware = is_stream_aware,
		.create_stream = create_stream,
	};
	factories[0] = &f->factory;
	*count = 1;
	return NULL;
}

EXPORT struct ort_status *ReleaseEpFactory(struct ort_factory *factory)
{
	free(factory);
	return NULL;
}
