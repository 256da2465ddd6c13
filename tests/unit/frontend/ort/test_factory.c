// SPDX-License-Identifier: MIT
/*
 * The library as ONNX Runtime has it, with a stub of the runtime in this test: what is exported,
 * what must not be NULL, devices, options that are wrong, a runtime that is too old. tests/runtimes
 * has the runtime itself.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/ort/factory.h"
#include "tests/unit/frontend/ort/status.h"

/* A device of the stub's machine, and the last one that the library made of one. */
struct hardware {
	int type;
	uint32_t vendor, device;
	const char *number;
};

struct made {
	const struct hardware *hardware;
	char name[32];
};

static const struct hardware CPU = { ORT_CPU, 0x8086, 0, NULL }, GPU = { ORT_GPU, 0x1002, 1, NULL };
static const struct hardware OTHER = { ORT_NPU, 0x1234, 1, NULL };
/* There is no node with this number. */
static const struct hardware NNA = { ORT_NPU, 0x1234, 0x4e41, "4099" };
static const struct hardware SECOND = { ORT_NPU, 0x1234, 0x4e41, "4098" };
static const char *option_key, *option_value;
static struct made made[4];
static unsigned int made_count;
static char pair[32];

static struct ort_status *has_config(const void *options, const char *key, int *has)
{
	*has = option_key && !strcmp(key, option_key);
	return NULL;
}

static struct ort_status *get_config(const void *options, const char *key, char *to, size_t *size)
{
	assert_string_equal(key, option_key);
	*size = strlen(option_value) + 1;
	memcpy(to, option_value, *size);
	return NULL;
}

static struct ort_status *log_message(const void *logger, int level, const char *text,
				      const char *file, int line, const char *function)
{
	return NULL;
}

static void create_pairs(void **to)
{
	*to = pair;
}

static void add_pair(void *to, const char *key, const char *value)
{
	assert_string_equal(key, "nnaccel_device");
	snprintf(pair, sizeof(pair), "%s", value);
}

static void release_pairs(void *pairs)
{
	assert_ptr_equal(pairs, pair);
}

static uint32_t hardware_type(const struct hardware *h)
{
	return (uint32_t)h->type;
}

static uint32_t hardware_vendor(const struct hardware *h)
{
	return h->vendor;
}

static uint32_t hardware_device(const struct hardware *h)
{
	return h->device;
}

static const struct hardware *hardware_metadata(const struct hardware *h)
{
	return h->number ? h : NULL;
}

static const char *get_pair(const struct hardware *h, const char *key)
{
	return strcmp(key, "accel_idx") ? NULL : h->number;
}

static struct ort_status *create_device(struct ort_factory *factory, const void *hardware,
					const void *metadata, const void *options, void **out)
{
	struct made *m = &made[made_count++];

	m->hardware = hardware;
	snprintf(m->name, sizeof(m->name), "%s", pair);
	*out = m;
	return NULL;
}

typedef void slot(void);

static slot *const EP_TABLE[] = { [ORT_EP_CREATE_DEVICE] = (slot *)create_device };

static ort_table get_ep_api(void)
{
	return EP_TABLE;
}

static slot *const TABLE[400] = {
	[ORT_CREATE_STATUS] = (slot *)create_status,
	[ORT_GET_ERROR_MESSAGE] = (slot *)status_text,
	[ORT_RELEASE_STATUS] = (slot *)release_status,
	[ORT_HAS_CONFIG] = (slot *)has_config,
	[ORT_GET_CONFIG] = (slot *)get_config,
	[ORT_LOG] = (slot *)log_message,
	[ORT_CREATE_PAIRS] = (slot *)create_pairs,
	[ORT_ADD_PAIR] = (slot *)add_pair,
	[ORT_RELEASE_PAIRS] = (slot *)release_pairs,
	[ORT_HARDWARE_TYPE] = (slot *)hardware_type,
	[ORT_HARDWARE_VENDOR] = (slot *)hardware_vendor,
	[ORT_HARDWARE_DEVICE] = (slot *)hardware_device,
	[ORT_HARDWARE_METADATA] = (slot *)hardware_metadata,
	[ORT_GET_PAIR] = (slot *)get_pair,
	[ORT_EP_API] = (slot *)get_ep_api,
};

static uint32_t asked_version;
static const char *runtime_version = "1.22.0";

static ort_table get_api(uint32_t version)
{
	asked_version = version;
	return version <= 23 ? TABLE : NULL;
}

static ort_table get_old_api(uint32_t version)
{
	return version <= 22 ? TABLE : NULL;
}

static const char *get_version(void)
{
	return runtime_version;
}

static struct ort_factory *make_factory(void)
{
	const struct ort_api_base base = { get_api, get_version };
	struct ort_factory *factory = NULL;
	size_t count = 0;

	assert_null(CreateEpFactories("any", &base, NULL, &factory, 4, &count));
	assert_int_equal(count, 1);
	return factory;
}

static void every_member_is_there(void **state)
{
	struct ort_factory *f = make_factory();
	const struct hardware *cpu = &CPU;
	struct ort_ep *ep = NULL;
	void *any = &any;

	assert_int_equal(f->version, 23);
	assert_string_equal(f->get_name(f), "NNAccelExecutionProvider");
	assert_string_equal(f->get_vendor(f), "nnaccel");
	assert_int_equal(f->get_vendor_id(f), 0x1234);
	assert_non_null(f->get_version(f));
	assert_non_null(f->validate);
	assert_null(f->create_allocator(f, NULL, NULL, &any));
	assert_null(any);
	f->release_allocator(f, NULL);
	any = &any;
	assert_null(f->create_transfer(f, &any));
	assert_null(any);
	assert_false(f->is_stream_aware(f));
	assert_null(f->create_stream(f, NULL, NULL, &any));
	assert_null(f->create_ep(f, (const void *const *)&cpu, NULL, 1, NULL, NULL, &ep));
	assert_int_equal(ep->version, 23);
	assert_string_equal(ep->get_name(ep), "NNAccelExecutionProvider");
	assert_non_null(ep->get_capability);
	assert_non_null(ep->compile);
	ep->release_computes(ep, NULL, 0);
	assert_null(ep->run_starts(ep, NULL));
	assert_null(ep->run_ends(ep, NULL, true));
	f->release_ep(f, ep);
	assert_null(ReleaseEpFactory(f));
	assert_int_equal(statuses, 0);
}

/* The NNA, and then the loopback beside the CPU; nothing of other makers. */
static void devices(void **state)
{
	const void *machine[] = { &GPU, &CPU, &OTHER, &NNA, &SECOND };
	struct ort_factory *f = make_factory();
	void *list[4];
	size_t count;

	made_count = 0;
	assert_null(f->get_devices(f, machine, 5, list, 4, &count));
	assert_int_equal(count, 3);
	assert_ptr_equal(made[0].hardware, &NNA);
	assert_string_equal(made[0].name, "/dev/accel/accel4099");
	assert_ptr_equal(made[1].hardware, &SECOND);
	assert_string_equal(made[1].name, "/dev/accel/accel4098");
	assert_ptr_equal(made[2].hardware, &CPU);
	assert_string_equal(made[2].name, "loopback");
	made_count = 0;
	assert_null(f->get_devices(f, machine, 5, list, 1, &count));
	assert_int_equal(count, 1);
	assert_null(f->get_devices(f, machine, 1, list, 4, &count));
	assert_int_equal(count, 0);
	ReleaseEpFactory(f);
}

static void refused(const char *key, const char *value, int code, const char *words)
{
	struct ort_factory *f = make_factory();
	const struct hardware *cpu = &CPU;
	struct ort_ep *ep = NULL;
	struct ort_status *s;

	option_key = key;
	option_value = value;
	s = f->create_ep(f, (const void *const *)&cpu, NULL, 1, NULL, NULL, &ep);
	option_key = NULL;
	assert_null(ep);
	assert_status(s, code, words);
	ReleaseEpFactory(f);
}

static void wrong_options(void **state)
{
	refused("ep.nnaccelexecutionprovider.threads", "x", ORT_INVALID_ARGUMENT, "threads is 'x'");
	refused("ep.nnaccelexecutionprovider.threads", "65", ORT_INVALID_ARGUMENT, "1 to 64");
	refused("ep.nnaccelexecutionprovider.priority", "top", ORT_INVALID_ARGUMENT, "low, medium");
	refused("ep.nnaccelexecutionprovider.device", "/dev/none", ORT_EP_FAIL, "/dev/none");
}

/*
 * A policy of the runtime's gives all that it found: the accelerator is taken, by its node. One
 * that went away is an error, and nothing goes on in this process.
 */
static void several_devices(void **state)
{
	const void *both[] = { &CPU, &NNA }, *two[] = { &NNA, &CPU, &NNA };
	struct ort_factory *f = make_factory();
	struct ort_status *s;
	struct ort_ep *ep;

	s = f->create_ep(f, both, NULL, 2, NULL, &CPU, &ep);
	assert_null(ep);
	assert_status(s, ORT_EP_FAIL, "/dev/accel/accel4099");
	s = f->create_ep(f, two, NULL, 3, NULL, NULL, &ep);
	assert_null(ep);
	assert_status(s, ORT_INVALID_ARGUMENT, "not on 2");
	s = f->create_ep(f, two, NULL, 0, NULL, NULL, &ep);
	assert_null(ep);
	assert_status(s, ORT_INVALID_ARGUMENT, "not on 0");
	ReleaseEpFactory(f);
}

/* A runtime that does not say a number, or another text: the first node, never this process. */
static void node_without_a_number(void **state)
{
	static const char *const NUMBERS[] = { NULL, "", "x", "1/../../null", "99999999999" };
	struct ort_factory *f = make_factory();

	for (size_t i = 0; i < sizeof(NUMBERS) / sizeof(NUMBERS[0]); i++) {
		const struct hardware some = { ORT_NPU, 0x1234, 0x4e41, NUMBERS[i] };
		const void *machine[] = { &some };
		void *list[1];
		size_t count;

		made_count = 0;
		assert_null(f->get_devices(f, machine, 1, list, 1, &count));
		assert_int_equal(count, 1);
		assert_memory_equal(made[0].name, "/dev/", 5);
		assert_null(strstr(made[0].name, ".."));
	}
	ReleaseEpFactory(f);
}

/* A table that a runtime does not have is not asked for, since that makes a line on stderr. */
static void tables_by_version(void **state)
{
	static const struct {
		const char *version;
		uint32_t asked;
	} cases[] = { { "1.23.2", 23 }, { "1.24.0", 24 }, { "1.32.0-dev", 24 }, { "2.0", 24 },
		      { "", 23 } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		runtime_version = cases[i].version;
		/* This one has no newer table, whatever it says. */
		ReleaseEpFactory(make_factory());
		assert_int_equal(asked_version, cases[i].asked);
	}
	runtime_version = "1.22.0";
}

/* A line on stderr, and no factory. */
static void runtime_that_is_too_old(void **state)
{
	const struct ort_api_base base = { get_old_api, get_version };
	struct ort_factory *factory = NULL;
	size_t count = 7;

	assert_null(CreateEpFactories("any", &base, NULL, &factory, 4, &count));
	assert_int_equal(count, 0);
	assert_null(factory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_member_is_there),
		cmocka_unit_test(devices),
		cmocka_unit_test(tables_by_version),
		cmocka_unit_test(wrong_options),
		cmocka_unit_test(several_devices),
		cmocka_unit_test(node_without_a_number),
		cmocka_unit_test(runtime_that_is_too_old),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
