// SPDX-License-Identifier: MIT
/*
 * Device buffers as arguments of a request, in each way to execute one: what IDevice and
 * IPreparedModel say of roles and dimensions. And outputs of fenced executions, whose dimensions
 * have to be stated.
 */
#include "tests/unit/hal-bridge/service/fixture.h"

#define RANK 2

/* sum[...] = a[...] + b[...], and product[...] = sum * sum. */
struct sum {
	struct hal_model m;
	int32_t dims[RANK], out_dims[RANK], inputs[2], outputs[2], mul[3];
	struct nnb_object *prepared;
};

/* @known: the inputs have two rows, else an unknown number; @out_known: the outputs likewise. */
static void sum_init(struct sum *sum, struct nnb_service *service, bool known, bool out_known)
{
	struct nnb_aidl_device_prepare_model_in in;
	struct nnb_aidl_operand *operands = sum->m.operands;

	memset(sum, 0, sizeof(*sum));
	hal_model_init(&sum->m);
	memcpy(sum->dims, (int32_t[]){known ? 2 : 0, 2}, sizeof(sum->dims));
	memcpy(sum->out_dims, (int32_t[]){out_known ? 2 : 0, 2}, sizeof(sum->out_dims));
	operands[HAL_POOLED] = operands[HAL_IN];
	operands[HAL_IN].dimensions.data = sum->dims;
	operands[HAL_POOLED].dimensions.data = sum->dims;
	operands[HAL_TMP].lifetime = NNB_AIDL_OPERAND_LIFE_TIME_SUBGRAPH_OUTPUT;
	operands[HAL_TMP].dimensions.data = sum->out_dims;
	operands[HAL_OUT].dimensions.data = sum->out_dims;
	memcpy(sum->inputs, (int32_t[]){HAL_IN, HAL_POOLED}, sizeof(sum->inputs));
	memcpy(sum->outputs, (int32_t[]){HAL_TMP, HAL_OUT}, sizeof(sum->outputs));
	memcpy(sum->mul, (int32_t[]){HAL_TMP, HAL_TMP, HAL_ACT}, sizeof(sum->mul));
	sum->m.operations[1].inputs = (struct nnb_ints){3, sum->mul};
	sum->m.model.main.input_indexes = (struct nnb_ints){2, sum->inputs};
	sum->m.model.main.output_indexes = (struct nnb_ints){2, sum->outputs};
	in = hal_prepare_in(&sum->m);
	assert_int_equal(hal_prepare(service, &hal_me, &in, &sum->prepared), 0);
}

static void sum_fini(struct sum *sum)
{
	nnb_object_unref(sum->prepared);
	hal_model_fini(&sum->m);
}

/* A buffer for all inputs and outputs, of two rows. */
static struct nnb_aidl_device_buffer allocate(struct nnb_service *service, struct sum *sum,
					      struct nnb_arena *arena)
{
	static const int32_t dims[] = {2, 2};
	struct nnb_aidl_i_prepared_model_parcel models = {sum->prepared};
	struct nnb_aidl_buffer_role roles[] = {
		{.io_index = 0, .probability = 1.0f},
		{.io_index = 1, .probability = 1.0f},
	};
	struct nnb_aidl_device_allocate_in in = {
		.desc.dimensions = {2, dims},
		.prepared_models = {1, &models},
		.input_roles = {2, roles},
		.output_roles = {2, roles},
	};
	struct nnb_aidl_device_allocate_out out;

	assert_int_equal(HAL_CALL(hal_dev(service), &hal_me, device, NNB_AIDL_DEVICE_ALLOCATE, &in,
				  arena, &out), 0);
	return out.result;
}

/* Fills a buffer from memory. */
static void fill(struct nnb_object *buffer)
{
	struct nnb_aidl_buffer_copy_from_in from = {0};
	struct nnb_arena arena = {0};
	int fd = hal_memfd(16, false);

	hal_memory(&from.src, fd, 16);
	assert_int_equal(HAL_CALL(buffer, &hal_me, buffer, NNB_AIDL_BUFFER_COPY_FROM, &from, &arena,
				  NULL), 0);
	nnb_arena_fini(&arena);
	close(fd);
}

/**
 * struct request - inputs a and b, outputs sum and product
 * @request: what is sent
 * @pools: memory of 4 * ROOM bytes, a place for each argument; then buffers
 */
#define ROOM 64
struct request {
	struct nnb_aidl_request request;
	struct nnb_aidl_request_argument in[2], out[2];
	struct nnb_aidl_request_memory_pool pools[3];
	int fd;
};

/* All arguments in memory, with @rows rows, which the request states. */
static void request_init(struct request *r, int32_t rows)
{
	static int32_t dims[RANK];

	memset(r, 0, sizeof(*r));
	dims[0] = rows;
	dims[1] = 2;
	r->fd = hal_memfd(4 * ROOM, true);
	hal_memory(&r->pools[0].pool, r->fd, 4 * ROOM);
	for (int i = 0; i < 4; i++) {
		struct nnb_aidl_request_argument *argument = i < 2 ? &r->in[i] : &r->out[i - 2];

		argument->location.offset = i * ROOM;
		argument->location.length = rows * 8;
		argument->dimensions = (struct nnb_ints){RANK, dims};
	}
	r->request.inputs.count = 2;
	r->request.inputs.data = r->in;
	r->request.outputs.count = 2;
	r->request.outputs.data = r->out;
	r->request.pools.count = 1;
	r->request.pools.data = r->pools;
}

static void request_fini(struct request *r)
{
	close(r->fd);
}

/* Puts an argument into a buffer; without dimensions, where they are not @stated. */
static void place(struct request *r, struct nnb_aidl_request_argument *argument, int pool,
		  const struct nnb_aidl_device_buffer *buffer, bool stated)
{
	r->pools[pool].tag = NNB_AIDL_REQUEST_MEMORY_POOL_TOKEN;
	r->pools[pool].token = buffer->token;
	r->request.pools.count = 3;
	if (r->pools[2].tag != NNB_AIDL_REQUEST_MEMORY_POOL_TOKEN)
		r->pools[2] = r->pools[0];
	argument->location = (struct nnb_aidl_data_location){.pool_index = pool};
	if (!stated)
		argument->dimensions.count = 0;
}

/* The ways to execute a request. */
enum way { SYNC, SYNC_CONFIG, BURST, REUSABLE, FENCED, FENCED_CONFIG, REUSABLE_FENCED, WAYS };

static int execute_reusable(struct nnb_object *model, const struct request *r, bool fenced,
			    struct nnb_arena *arena, bool *enough)
{
	struct nnb_aidl_prepared_model_create_reusable_execution_in in = {
		.request = r->request,
		.config.loop_timeout_duration_ns = -1,
	};
	struct nnb_aidl_prepared_model_create_reusable_execution_out made;
	struct nnb_aidl_execution_execute_synchronously_in run = {.deadline_ns = -1};
	struct nnb_aidl_execution_execute_synchronously_out out = {0};
	struct nnb_aidl_execution_execute_fenced_in run_fenced = {.deadline_ns = -1,
								   .duration_ns = -1};
	struct nnb_aidl_execution_execute_fenced_out out_fenced;
	int ret = HAL_CALL(model, &hal_me, prepared_model,
			   NNB_AIDL_PREPARED_MODEL_CREATE_REUSABLE_EXECUTION, &in, arena, &made);

	if (!ret && fenced)
		return HAL_CALL(made.result, &hal_me, execution, NNB_AIDL_EXECUTION_EXECUTE_FENCED,
				&run_fenced, arena, &out_fenced);
	if (!ret)
		ret = HAL_CALL(made.result, &hal_me, execution,
			       NNB_AIDL_EXECUTION_EXECUTE_SYNCHRONOUSLY, &run, arena, &out);
	*enough = ret || out.result.output_sufficient_size;
	return ret;
}

/* Return: the status; OUTPUT_INSUFFICIENT_SIZE as the API's runtime makes it of a result. */
static int execute(struct nnb_object *model, const struct request *r, enum way way)
{
	struct nnb_aidl_prepared_model_execute_synchronously_in sync = {
		.request = r->request, .deadline_ns = -1, .loop_timeout_duration_ns = -1};
	struct nnb_aidl_prepared_model_execute_synchronously_out sync_out = {0};
	struct nnb_aidl_prepared_model_execute_synchronously_with_config_in sync_config = {
		.request = r->request, .config.loop_timeout_duration_ns = -1, .deadline_ns = -1};
	struct nnb_aidl_prepared_model_execute_synchronously_with_config_out config_out = {0};
	struct nnb_aidl_prepared_model_execute_fenced_in fenced = {
		.request = r->request, .deadline_ns = -1, .loop_timeout_duration_ns = -1,
		.duration_ns = -1};
	struct nnb_aidl_prepared_model_execute_fenced_out fenced_out;
	struct nnb_aidl_prepared_model_execute_fenced_with_config_in fenced_config = {
		.request = r->request, .config.loop_timeout_duration_ns = -1, .deadline_ns = -1,
		.duration_ns = -1};
	struct nnb_aidl_prepared_model_execute_fenced_with_config_out fenced_config_out;
	struct nnb_aidl_prepared_model_configure_execution_burst_out made;
	const int64_t tokens[] = {-1, -1, -1};
	struct nnb_aidl_burst_execute_synchronously_in burst = {
		.request = r->request, .memory_identifier_tokens = {r->request.pools.count, tokens},
		.deadline_ns = -1, .loop_timeout_duration_ns = -1};
	struct nnb_aidl_burst_execute_synchronously_out burst_out = {0};
	struct nnb_arena arena = {0};
	bool enough = true;
	int ret;

	switch (way) {
	case SYNC:
		ret = HAL_CALL(model, &hal_me, prepared_model,
			       NNB_AIDL_PREPARED_MODEL_EXECUTE_SYNCHRONOUSLY, &sync, &arena,
			       &sync_out);
		enough = ret || sync_out.result.output_sufficient_size;
		break;
	case SYNC_CONFIG:
		ret = HAL_CALL(model, &hal_me, prepared_model,
			       NNB_AIDL_PREPARED_MODEL_EXECUTE_SYNCHRONOUSLY_WITH_CONFIG,
			       &sync_config, &arena, &config_out);
		enough = ret || config_out.result.output_sufficient_size;
		break;
	case BURST:
		assert_int_equal(HAL_CALL(model, &hal_me, prepared_model,
					  NNB_AIDL_PREPARED_MODEL_CONFIGURE_EXECUTION_BURST, NULL,
					  &arena, &made), 0);
		ret = HAL_CALL(made.result, &hal_me, burst, NNB_AIDL_BURST_EXECUTE_SYNCHRONOUSLY,
			       &burst, &arena, &burst_out);
		enough = ret || burst_out.result.output_sufficient_size;
		break;
	case REUSABLE:
	case REUSABLE_FENCED:
		ret = execute_reusable(model, r, way == REUSABLE_FENCED, &arena, &enough);
		break;
	case FENCED:
		ret = HAL_CALL(model, &hal_me, prepared_model,
			       NNB_AIDL_PREPARED_MODEL_EXECUTE_FENCED, &fenced, &arena,
			       &fenced_out);
		break;
	default:
		ret = HAL_CALL(model, &hal_me, prepared_model,
			       NNB_AIDL_PREPARED_MODEL_EXECUTE_FENCED_WITH_CONFIG, &fenced_config,
			       &arena, &fenced_config_out);
		break;
	}
	nnb_arena_fini(&arena);
	return enough ? ret : NNB_AIDL_ERROR_STATUS_OUTPUT_INSUFFICIENT_SIZE;
}

/* A buffer that an execution writes is no other argument of it, also under another pool. */
static void one_buffer_several_roles(void **state)
{
	struct nnb_aidl_device_buffer buffer, other;
	struct nnb_arena arena = {0};
	struct request r;
	struct sum sum;

	sum_init(&sum, *state, true, true);
	buffer = allocate(*state, &sum, &arena);
	other = allocate(*state, &sum, &arena);
	for (int way = 0; way < WAYS; way++) {
		for (int second = 1; second < 3; second++) {
			fill(buffer.buffer);
			request_init(&r, 2);
			place(&r, &r.in[1], 1, &buffer, false);
			place(&r, &r.out[0], second, &buffer, false);
			assert_int_equal(execute(sum.prepared, &r, way), HAL_INVALID);
			request_fini(&r);
			request_init(&r, 2);
			place(&r, &r.out[0], 1, &buffer, false);
			place(&r, &r.out[1], second, &buffer, false);
			assert_int_equal(execute(sum.prepared, &r, way), HAL_INVALID);
			request_fini(&r);
			/* Two inputs may be one buffer; nothing has touched it. */
			request_init(&r, 2);
			place(&r, &r.in[0], 1, &buffer, false);
			place(&r, &r.in[1], second, &buffer, false);
			assert_int_equal(execute(sum.prepared, &r, way), 0);
			request_fini(&r);
		}
		request_init(&r, 2);
		place(&r, &r.out[0], 1, &buffer, false);
		place(&r, &r.out[1], 2, &other, false);
		assert_int_equal(execute(sum.prepared, &r, way), 0);
		request_fini(&r);
	}
	nnb_arena_fini(&arena);
	sum_fini(&sum);
}

/* What a run writes to a buffer has the buffer's dimensions, neither more nor less. */
static void other_dimensions(void **state)
{
	struct nnb_aidl_device_buffer buffer;
	struct nnb_arena arena = {0};
	struct request r;
	struct sum sum;

	sum_init(&sum, *state, false, false);
	buffer = allocate(*state, &sum, &arena);
	for (int way = 0; way < FENCED; way++) {
		for (int rows = 1; rows < 5; rows++) {
			request_init(&r, rows);
			place(&r, &r.out[1], 1, &buffer, true);
			assert_int_equal(execute(sum.prepared, &r, way),
					 rows == 2 ? 0 : HAL_INVALID);
			fill(buffer.buffer);
			place(&r, &r.out[1], 1, &buffer, false);
			assert_int_equal(execute(sum.prepared, &r, way),
					 rows == 2 ? 0 : HAL_FAILURE);
			/* A run that fails leaves nothing in the buffer. */
			request_fini(&r);
			request_init(&r, 2);
			place(&r, &r.in[0], 1, &buffer, false);
			assert_int_equal(execute(sum.prepared, &r, way),
					 rows == 2 ? 0 : HAL_FAILURE);
			request_fini(&r);
		}
		/* That another output is too small for its memory is a result, as before. */
		request_init(&r, 2);
		place(&r, &r.out[1], 1, &buffer, false);
		r.out[0].location.length = 8;
		assert_int_equal(execute(sum.prepared, &r, way),
				 NNB_AIDL_ERROR_STATUS_OUTPUT_INSUFFICIENT_SIZE);
		request_fini(&r);
	}
	nnb_arena_fini(&arena);
	sum_fini(&sum);
}

/* What could be inferred does not count: model and request state the outputs of a fenced run. */
static void fenced_outputs_are_stated(void **state)
{
	struct nnb_aidl_device_buffer buffer;
	struct nnb_arena arena = {0};
	struct request r;
	struct sum sum;

	for (int known = 0; known < 4; known++) {
		sum_init(&sum, *state, known & 1, known & 2);
		buffer = allocate(*state, &sum, &arena);
		for (int way = 0; way < WAYS; way++) {
			const int refused = way >= FENCED && !(known & 2) ? HAL_INVALID : 0;

			request_init(&r, 2);
			assert_int_equal(execute(sum.prepared, &r, way), 0);
			r.out[1].dimensions.count = 0;
			assert_int_equal(execute(sum.prepared, &r, way), refused);
			r.out[1].dimensions.count = RANK;
			place(&r, &r.out[1], 1, &buffer, true);
			assert_int_equal(execute(sum.prepared, &r, way), 0);
			place(&r, &r.out[1], 1, &buffer, false);
			assert_int_equal(execute(sum.prepared, &r, way), refused);
			request_fini(&r);
		}
		nnb_arena_fini(&arena);
		sum_fini(&sum);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_buffer_several_roles),
		cmocka_unit_test(other_dimensions),
		cmocka_unit_test(fenced_outputs_are_stated),
	};

	return cmocka_run_group_tests(tests, hal_setup, hal_teardown);
}
