// SPDX-License-Identifier: MIT
/* Calls through parcels: results, errors with their text, versions, and what is not there. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "hal-bridge/aidl/call.h"
#include "hal-bridge/aidl/gen/nn.h"
#include "hal-bridge/binder/exchange.h"
#include "tests/unit/hal-bridge/aidl/value.h"

static const struct nnb_caller me = { .euid = 12, .pid = 345 };

/* A burst that answers all its methods. */
struct burst {
	struct nnb_object object;
	int version;
	unsigned int calls, released;
	int64_t token;
};

static int execute(struct nnb_object *object, struct nnb_aidl_call *call, const void *in,
		   void *out)
{
	const struct nnb_aidl_burst_execute_synchronously_in *args = in;
	struct nnb_aidl_burst_execute_synchronously_out *results = out;
	struct burst *burst = (struct burst *)object;

	assert_int_equal(call->caller->euid, me.euid);
	assert_int_equal(call->caller->pid, me.pid);
	burst->calls++;
	if (args->deadline_ns == 1)
		return nnb_aidl_fail(call, NNB_AIDL_ERROR_STATUS_MISSED_DEADLINE_PERSISTENT,
				     "deadline %d", 1);
	results->result.output_sufficient_size = args->measure_timing;
	results->result.timing.time_in_driver_ns = (int64_t)args->request.inputs.count;
	results->result.timing.time_on_device_ns = args->memory_identifier_tokens.data[1];
	return 0;
}

static int release_memory(struct nnb_object *object, struct nnb_aidl_call *call, const void *in,
			  void *out)
{
	const struct nnb_aidl_burst_release_memory_resource_in *args = in;

	assert_null(out);
	((struct burst *)object)->token = args->memory_identifier_token;
	return 0;
}

static int broken(struct nnb_object *object, struct nnb_aidl_call *call, const void *in, void *out)
{
	return -EIO;
}

static int transact(struct nnb_object *object, const struct nnb_caller *caller, uint32_t code,
		    struct nnb_reader *in, struct nnb_arena *arena, struct nnb_writer *out)
{
	static const nnb_aidl_handler handlers[] = { execute, release_memory, broken };

	return nnb_aidl_answer(object, &nnb_aidl_burst, ((struct burst *)object)->version,
			       handlers, caller, code, in, arena, out);
}

static void released(struct nnb_object *object)
{
	((struct burst *)object)->released++;
}

static const struct nnb_object_ops ops = { .release = released, .transact = transact };

static struct burst new_burst(int version)
{
	struct burst burst = { .version = version };

	nnb_object_init(&burst.object, &ops);
	return burst;
}

static void calls(void **state)
{
	struct burst burst = new_burst(4);
	const int64_t tokens[] = { 3, 1ll << 40 };
	struct nnb_aidl_request_argument inputs[3] = { 0 };
	struct nnb_aidl_burst_execute_synchronously_in in = {
		.request.inputs = { 3, inputs }, .memory_identifier_tokens = { 2, tokens },
		.measure_timing = true, .deadline_ns = -1,
	};
	struct nnb_aidl_burst_execute_synchronously_out out;
	struct nnb_aidl_burst_release_memory_resource_in release = { -5 };
	struct nnb_arena arena = { 0 };

	assert_int_equal(nnb_aidl_call(&burst.object, &me, &nnb_aidl_burst.methods[0], &in, &arena,
				       &out), 0);
	assert_true(out.result.output_sufficient_size);
	assert_int_equal(out.result.timing.time_in_driver_ns, 3);
	assert_int_equal(out.result.timing.time_on_device_ns, tokens[1]);
	in.deadline_ns = 1;
	assert_int_equal(nnb_aidl_call(&burst.object, &me, &nnb_aidl_burst.methods[0], &in, &arena,
				       &out), NNB_AIDL_ERROR_STATUS_MISSED_DEADLINE_PERSISTENT);
	assert_int_equal(nnb_aidl_call(&burst.object, &me, &nnb_aidl_burst.methods[1], &release,
				       &arena, NULL), 0);
	assert_int_equal(burst.token, -5);
	nnb_arena_fini(&arena);
	nnb_object_unref(&burst.object);
	assert_int_equal(burst.released, 1);
}

static void versions(void **state)
{
	static const char *const hashes[] = { "ae57b484", "04c95c94", "8c2c4ca2", "53178f8d" };
	struct nnb_aidl_burst_execute_synchronously_with_config_in in = { .deadline_ns = -1 };
	struct nnb_aidl_burst_execute_synchronously_with_config_out out;
	struct nnb_arena arena = { 0 };

	for (int version = 1; version <= NNB_AIDL_VERSION; version++) {
		struct burst burst = new_burst(version);
		const char *hash = NULL;
		int claimed = 0;

		assert_int_equal(nnb_aidl_get_version(&burst.object, &me, &nnb_aidl_burst,
						      &claimed),
				 0);
		assert_int_equal(claimed, version);
		assert_int_equal(nnb_aidl_get_hash(&burst.object, &me, &nnb_aidl_burst, &arena,
						   &hash),
				 0);
		assert_int_equal(strlen(hash), 40);
		assert_memory_equal(hash, hashes[version - 1], 8);
		/* A method that came later is not there; one that fails without an error is. */
		assert_int_equal(nnb_aidl_call(&burst.object, &me, &nnb_aidl_burst.methods[2], &in,
					       &arena, &out),
				 version < 4 ? NNB_UNKNOWN_TRANSACTION : -EIO);
	}
	nnb_arena_fini(&arena);
}

/* Bytes of somebody who does not keep to the tables. */
static int raw_write(void *data, struct nnb_writer *request)
{
	const struct nnb_bytes *bytes = data;

	return request->ops->write_words(request, bytes->count / 4, bytes->data);
}

static int raw_read(void *data, struct nnb_reader *reply)
{
	return 0;
}

static void strangers(void **state)
{
	struct burst burst = new_burst(4);
	int32_t words[] = { 1, 4, -1 };
	struct nnb_bytes bytes = { sizeof(words), (const uint8_t *)words };
	const struct nnb_exchange exchange = {
		.write = raw_write, .read = raw_read, .data = &bytes,
	};
	struct nnb_arena arena = { 0 };
	static const uint32_t codes[] = { 0, 4, 5, 0xffffff, 0x1000000, UINT32_MAX };

	assert_int_equal(nnb_exchange_call(&burst.object, &me, 1, &arena, &exchange), -EINVAL);
	bytes.count = 4;
	assert_int_equal(nnb_exchange_call(&burst.object, &me, 1, &arena, &exchange), -ENODATA);
	bytes.count = 0;
	assert_int_equal(nnb_exchange_call(&burst.object, &me, 1, &arena, &exchange), -ENODATA);
	assert_int_equal(burst.calls, 0);
	for (uint32_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		int expected = codes[i] == NNB_AIDL_GET_VERSION ? 0 : NNB_UNKNOWN_TRANSACTION;

		assert_int_equal(nnb_exchange_call(&burst.object, &me, codes[i], &arena, &exchange),
				 expected);
	}
	nnb_arena_fini(&arena);
}

/* Replies of somebody who does not keep to the protocol. */
static int lie(struct nnb_object *object, const struct nnb_caller *caller, uint32_t code,
	       struct nnb_reader *in, struct nnb_arena *arena, struct nnb_writer *out)
{
	static const int32_t replies[][8] = {
		{ 1, -1 }, /* an exception that is none of ours */
		{ 3, -8, -1, 0 },
		{ 4, -8, -1, 0, 0 },
		{ 4, -8, -1, 0, -4 },
		{ 4, -8, -1, 3, 4 },
		{ 4, -8, -1, 4000, 4 },
		{ 2, 0, 1 },
		{ 0 },
	};

	return out->ops->write_words(out, (uint32_t)replies[code][0], &replies[code][1]);
}

static void liars(void **state)
{
	static const struct nnb_object_ops liar = { .release = released, .transact = lie };
	static const int errors[] = {
		-EPROTO, -ENODATA, -EPROTO, -EPROTO, -EINVAL, -EINVAL, -ENODATA, -ENODATA,
	};
	struct nnb_aidl_burst_execute_synchronously_out out;
	struct nnb_aidl_burst_execute_synchronously_in in = { 0 };
	struct nnb_arena arena = { 0 };
	struct burst burst = { 0 };

	nnb_object_init(&burst.object, &liar);
	for (uint32_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		struct nnb_aidl_method method = nnb_aidl_burst.methods[0];

		method.code = i;
		assert_int_equal(nnb_aidl_call(&burst.object, &me, &method, &in, &arena, &out),
				 errors[i]);
	}
	nnb_arena_fini(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls), cmocka_unit_test(versions), cmocka_unit_test(strangers),
		cmocka_unit_test(liars),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
