// SPDX-License-Identifier: MIT
/* Calls and their replies (call.h). */
#include "hal-bridge/aidl/call.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "hal-bridge/aidl/gen/nn.h"
#include "hal-bridge/binder/exchange.h"
#include "libnnaccel/support/message.h"

#define NNB_SERVICE_SPECIFIC (-8)
#define NNB_MAX_ERROR 0x7fff /* a higher number is no service-specific error */

int nnb_aidl_fail(struct nnb_aidl_call *call, int status, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(call->message, sizeof(call->message), format, arguments);
	va_end(arguments);
	return status;
}

/* ------------------------------------------------------------------------------------ answering */

static int nnb_aidl_answer_error(struct nnb_writer *writer, const char *message, int status)
{
	int ret = writer->ops->write_int(writer, NNB_SERVICE_SPECIFIC);

	if (!ret)
		ret = writer->ops->write_string(writer, message);
	if (!ret)
		ret = writer->ops->write_int(writer, 0);
	return ret ? ret : writer->ops->write_int(writer, status);
}

/* Answers AIDL's own methods: version and hash. */
static int nnb_aidl_answer_meta(int version, uint32_t code, struct nnb_writer *writer)
{
	int ret = writer->ops->write_int(writer, 0);

	if (ret)
		return ret;
	if (code == NNB_AIDL_GET_VERSION)
		return writer->ops->write_int(writer, version);
	return writer->ops->write_string(writer, nnb_aidl_hash(version));
}

int nnb_aidl_answer(struct nnb_object *object, const struct nnb_aidl_interface *interface,
		    int version, const nnb_aidl_handler *handlers, const struct nnb_caller *caller,
		    uint32_t code, struct nnb_reader *reader, struct nnb_arena *arena,
		    struct nnb_writer *writer)
{
	struct nnb_aidl_call call = { .caller = caller, .arena = arena };
	const struct nnb_aidl_method *method;
	void *in = NULL, *out = NULL;
	int ret = 0;

	if (code == NNB_AIDL_GET_VERSION || code == NNB_AIDL_GET_HASH)
		return nnb_aidl_answer_meta(version, code, writer);
	method = nnb_aidl_method(interface, version, code);
	if (!method)
		return NNB_UNKNOWN_TRANSACTION;
	call.method = method;
	if (method->in) {
		in = nnb_arena_alloc(arena, 1, method->in->size);
		ret = in ? nnb_aidl_read_fields(reader, arena, method->in, in) : -ENOMEM;
	}
	if (!ret && method->out) {
		out = nnb_arena_alloc(arena, 1, method->out->size);
		ret = out ? 0 : -ENOMEM;
	}
	if (ret)
		return ret;
	ret = handlers[method->code - 1](object, &call, in, out);
	if (ret > 0) {
		nna_message(DRIVER, "hal: %s.%s of uid %u, pid %d: status %d: %s",
			    interface->descriptor, method->name, (unsigned int)caller->euid,
			    (int)caller->pid, ret, call.message);
		return nnb_aidl_answer_error(writer, call.message, ret);
	}
	if (ret)
		return ret;
	ret = writer->ops->write_int(writer, 0);
	return ret || !method->out ? ret : nnb_aidl_write_fields(writer, method->out, out);
}

/* -------------------------------------------------------------------------------------- calling */

/* A call on the caller's side. @method, or @version, or @hash is set. */
struct nnb_aidl_exchange {
	const struct nnb_aidl_method *method;
	const void *in;
	struct nnb_arena *arena;
	void *out;
	int *version;
	const char **hash;
};

static int nnb_aidl_write_request(void *data, struct nnb_writer *request)
{
	const struct nnb_aidl_exchange *exchange = data;

	if (!exchange->method || !exchange->method->in)
		return 0;
	return nnb_aidl_write_fields(request, exchange->method->in, exchange->in);
}

/* Reads the status at the start of a reply. */
static int nnb_aidl_read_status(struct nnb_reader *reply, struct nnb_arena *arena)
{
	int32_t exception, size, status;
	const char *message;
	int ret = reply->ops->read_int(reply, &exception);

	if (ret || !exception)
		return ret;
	if (exception != NNB_SERVICE_SPECIFIC)
		return -EPROTO;
	ret = reply->ops->read_string(reply, arena, &message);
	if (!ret)
		ret = reply->ops->read_int(reply, &size);
	/* A size other than 0 includes its own 4 bytes. */
	if (!ret && size) {
		if (size < 4 || size % 4 || (size_t)size - 4 > reply->ops->left(reply))
			return -EINVAL;
		ret = reply->ops->skip(reply, (size_t)size - 4);
	}
	if (!ret)
		ret = reply->ops->read_int(reply, &status);
	if (ret)
		return ret;
	return status > 0 && status <= NNB_MAX_ERROR ? status : -EPROTO;
}

static int nnb_aidl_read_reply(void *data, struct nnb_reader *reply)
{
	const struct nnb_aidl_exchange *exchange = data;
	int32_t version;
	int ret = nnb_aidl_read_status(reply, exchange->arena);

	if (ret)
		return ret;
	if (exchange->hash)
		return reply->ops->read_string(reply, exchange->arena, exchange->hash);
	if (exchange->version) {
		ret = reply->ops->read_int(reply, &version);
		*exchange->version = version;
		return ret;
	}
	if (!exchange->method->out)
		return 0;
	return nnb_aidl_read_fields(reply, exchange->arena, exchange->method->out, exchange->out);
}

static int nnb_aidl_exchange(struct nnb_object *object, const struct nnb_caller *caller,
			     const char *descriptor, uint32_t code, struct nnb_aidl_exchange *data)
{
	const struct nnb_exchange exchange = {
		.descriptor = descriptor,
		.write = nnb_aidl_write_request,
		.read = nnb_aidl_read_reply,
		.data = data,
	};

	return nnb_exchange_call(object, caller, code, data->arena, &exchange);
}

int nnb_aidl_call(struct nnb_object *object, const struct nnb_caller *caller,
		  const struct nnb_aidl_method *method, const void *in, struct nnb_arena *arena,
		  void *out)
{
	struct nnb_aidl_exchange data = {
		.method = method, .in = in, .arena = arena, .out = out,
	};

	return nnb_aidl_exchange(object, caller, method->descriptor, method->code, &data);
}

int nnb_aidl_get_version(struct nnb_object *object, const struct nnb_caller *caller,
			 const struct nnb_aidl_interface *interface, int *version)
{
	struct nnb_arena arena = { 0 };
	struct nnb_aidl_exchange data = { .arena = &arena, .version = version };
	int ret = nnb_aidl_exchange(object, caller, interface->descriptor, NNB_AIDL_GET_VERSION,
				    &data);

	nnb_arena_fini(&arena);
	return ret;
}

int nnb_aidl_get_hash(struct nnb_object *object, const struct nnb_caller *caller,
		      const struct nnb_aidl_interface *interface, struct nnb_arena *arena,
		      const char **hash)
{
	struct nnb_aidl_exchange data = { .arena = arena, .hash = hash };

	return nnb_aidl_exchange(object, caller, interface->descriptor, NNB_AIDL_GET_HASH, &data);
}
