// SPDX-License-Identifier: MIT
/* Calls and their replies in HIDL (call.h). */
#include "hal-bridge/hidl/call.h"

#include <errno.h>
#include <string.h>

#include "libnnaccel/support/message.h"

/* The hash of IBase's frozen text. */
static const uint8_t nnb_hidl_base_hash[32] = {
	0xec, 0x7f, 0xd7, 0x9e, 0xd0, 0x2d, 0xfa, 0x85, 0xbc, 0x49, 0x94,
	0x26, 0xad, 0xae, 0x3e, 0xbe, 0x23, 0xef, 0x05, 0x24, 0xf3, 0xcd,
	0x69, 0x57, 0x13, 0x93, 0x24, 0xb8, 0x3b, 0x18, 0xca, 0x4c,
};

static const struct nnb_hidl_type nnb_hidl_debug_info_type = {
	.name = "DebugInfo",
	.kind = NNB_HIDL_PLAIN,
	.size = sizeof(struct nnb_hidl_debug_info),
};

static const struct nnb_hidl_interface nnb_hidl_base = {.descriptor = NNB_HIDL_BASE};

static const struct nnb_hidl_argument nnb_hidl_base_chain_list[] = {
	{"descriptors", NNB_HIDL_BUFFER, 0, &nnb_hidl_vec_string},
};

static const struct nnb_hidl_argument nnb_hidl_base_hashes_list[] = {
	{"hashchain", NNB_HIDL_BUFFER, 0, &nnb_hidl_vec_bytes_32},
};

static const struct nnb_hidl_argument nnb_hidl_base_descriptor_list[] = {
	{"descriptor", NNB_HIDL_BUFFER, 0, &nnb_hidl_string},
};

static const struct nnb_hidl_argument nnb_hidl_base_info_list[] = {
	{"info", NNB_HIDL_BUFFER, 0, &nnb_hidl_debug_info_type},
};

static const struct nnb_hidl_argument nnb_hidl_base_debug_list[] = {
	{"fd", NNB_HIDL_FDS, offsetof(struct nnb_hidl_base_debug_in, fd), &nnb_hidl_handle},
	{"options", NNB_HIDL_BUFFER, offsetof(struct nnb_hidl_base_debug_in, options),
	 &nnb_hidl_vec_string},
};

const struct nnb_hidl_method nnb_hidl_base_chain = {
	.name = "interfaceChain",
	.interface = &nnb_hidl_base,
	.code = NNB_HIDL_BASE_CHAIN,
	.out = {nnb_hidl_base_chain_list, 1, sizeof(struct nnb_hidl_base_chain_out)},
};

const struct nnb_hidl_method nnb_hidl_base_hashes = {
	.name = "getHashChain",
	.interface = &nnb_hidl_base,
	.code = NNB_HIDL_BASE_HASHES,
	.out = {nnb_hidl_base_hashes_list, 1, sizeof(struct nnb_hidl_base_hashes_out)},
};

const struct nnb_hidl_method nnb_hidl_base_descriptor = {
	.name = "interfaceDescriptor",
	.interface = &nnb_hidl_base,
	.code = NNB_HIDL_BASE_DESCRIPTOR,
	.out = {nnb_hidl_base_descriptor_list, 1, sizeof(struct nnb_hidl_base_descriptor_out)},
};

const struct nnb_hidl_method nnb_hidl_base_info = {
	.name = "getDebugInfo",
	.interface = &nnb_hidl_base,
	.code = NNB_HIDL_BASE_INFO,
	.out = {nnb_hidl_base_info_list, 1, sizeof(struct nnb_hidl_base_info_out)},
};

const struct nnb_hidl_method nnb_hidl_base_debug = {
	.name = "debug",
	.interface = &nnb_hidl_base,
	.code = NNB_HIDL_BASE_DEBUG,
	.in = {nnb_hidl_base_debug_list, 2, sizeof(struct nnb_hidl_base_debug_in)},
};

const struct nnb_hidl_method nnb_hidl_base_ping = {
	.name = "ping",
	.interface = &nnb_hidl_base,
	.code = NNB_HIDL_BASE_PING,
};

/* ------------------------------------------------------------------------------------ answering */

/* Writes the results of a method, or none, after the status of a reply. */
static int nnb_hidl_reply(struct nnb_hw *writer, const struct nnb_hidl_method *method,
			  const void *out)
{
	int ret = nnb_hw_write_int(writer, 0);

	return ret || !method ? ret : nnb_hidl_write(writer, &method->out, out);
}

static int nnb_hidl_reply_chain(const struct nnb_hidl_interface *interface, struct nnb_arena *arena,
				struct nnb_hw *writer)
{
	struct nnb_hidl_string *names = nnb_arena_alloc(arena, NNB_HIDL_CHAIN, sizeof(*names));
	struct nnb_hidl_vec *vec = nnb_arena_alloc(arena, 1, sizeof(*vec));
	const struct nnb_hidl_base_chain_out out = {vec};

	if (!names || !vec)
		return -ENOMEM;
	vec->data = names;
	for (; interface; interface = interface->parent)
		names[vec->count++] =
			nnb_hidl_string_of(interface->descriptor, strlen(interface->descriptor));
	names[vec->count++] = nnb_hidl_string_of(NNB_HIDL_BASE, strlen(NNB_HIDL_BASE));
	return nnb_hidl_reply(writer, &nnb_hidl_base_chain, &out);
}

static int nnb_hidl_reply_hashes(const struct nnb_hidl_interface *interface,
				 struct nnb_arena *arena, struct nnb_hw *writer)
{
	uint8_t(*hashes)[32] = nnb_arena_alloc(arena, NNB_HIDL_CHAIN, sizeof(*hashes));
	struct nnb_hidl_vec *vec = nnb_arena_alloc(arena, 1, sizeof(*vec));
	const struct nnb_hidl_base_hashes_out out = {vec};

	if (!hashes || !vec)
		return -ENOMEM;
	vec->data = hashes;
	for (; interface; interface = interface->parent)
		memcpy(hashes[vec->count++], interface->hash, sizeof(*hashes));
	memcpy(hashes[vec->count++], nnb_hidl_base_hash, sizeof(*hashes));
	return nnb_hidl_reply(writer, &nnb_hidl_base_hashes, &out);
}

/* Writes the object's state to the descriptor of the caller; the options are not read. */
static int nnb_hidl_debug(struct nnb_object *object, const struct nnb_caller *caller,
			  struct nnb_hw *reader, struct nnb_hw *writer)
{
	const struct nnb_hidl_fds *fds;
	int ret = nnb_hw_read_fds(reader, NNB_HW_NO_PARENT, 0, &fds);

	if (ret)
		return ret;
	if (fds && fds->fd_count && object->ops->dump)
		object->ops->dump(object, caller, fds->data[0]);
	return nnb_hidl_reply(writer, NULL, NULL);
}

/*
 * Answers a method of IBase. A link to death is the driver's in this form of HIDL, and never
 * called; there is no instrumentation, and no property of a system.
 */
static int nnb_hidl_answer_base(struct nnb_object *object,
				const struct nnb_hidl_interface *interface,
				const struct nnb_caller *caller, uint32_t code,
				struct nnb_hw *reader, struct nnb_arena *arena,
				struct nnb_hw *writer)
{
	struct nnb_hidl_debug_info *info;
	struct nnb_hidl_string *name;

	switch (code) {
	case NNB_HIDL_BASE_CHAIN:
		return nnb_hidl_reply_chain(interface, arena, writer);
	case NNB_HIDL_BASE_HASHES:
		return nnb_hidl_reply_hashes(interface, arena, writer);
	case NNB_HIDL_BASE_DEBUG:
		return nnb_hidl_debug(object, caller, reader, writer);
	case NNB_HIDL_BASE_PING:
		return nnb_hidl_reply(writer, NULL, NULL);
	case NNB_HIDL_BASE_DESCRIPTOR:
		name = nnb_arena_alloc(arena, 1, sizeof(*name));
		if (!name)
			return -ENOMEM;
		*name = nnb_hidl_string_of(interface->descriptor, strlen(interface->descriptor));
		return nnb_hidl_reply(writer, &nnb_hidl_base_descriptor,
				      &(struct nnb_hidl_base_descriptor_out){name});
	case NNB_HIDL_BASE_INFO:
		info = nnb_arena_alloc(arena, 1, sizeof(*info));
		if (!info)
			return -ENOMEM;
		*info = (struct nnb_hidl_debug_info){.pid = -1, .architecture = 1};
		return nnb_hidl_reply(writer, &nnb_hidl_base_info,
				      &(struct nnb_hidl_base_info_out){info});
	case NNB_HIDL_BASE_INSTRUMENT:
	case NNB_HIDL_BASE_SYSPROPS:
		return 0; /* without a reply */
	default:
		return NNB_UNKNOWN_TRANSACTION;
	}
}

/* Return: the handler of a method of the object's interfaces. */
static nnb_hidl_handler nnb_hidl_handler_of(const struct nnb_hidl_handlers *handlers,
					    const struct nnb_hidl_method *method)
{
	while (handlers->interface != method->interface)
		handlers++;
	return handlers->list[method - method->interface->methods];
}

int nnb_hidl_answer(struct nnb_object *object, const struct nnb_hidl_handlers *handlers,
		    const struct nnb_caller *caller, const char *descriptor, uint32_t code,
		    struct nnb_hw *reader, struct nnb_arena *arena, struct nnb_hw *writer)
{
	struct nnb_hidl_call call = {.caller = caller, .arena = arena};
	const struct nnb_hidl_method *method;
	void *in = NULL, *out = NULL;
	int ret = 0;

	if (!strcmp(descriptor, NNB_HIDL_BASE))
		return nnb_hidl_answer_base(object, handlers->interface, caller, code, reader,
					    arena, writer);
	method = nnb_hidl_method(handlers->interface, code);
	if (!method)
		return NNB_UNKNOWN_TRANSACTION;
	if (strcmp(descriptor, method->interface->descriptor)) {
		nna_message(DRIVER, "hal: uid %u, pid %d calls method %u of %s in the name of %s",
			    (unsigned int)caller->euid, (int)caller->pid, code,
			    method->interface->descriptor, descriptor);
		return NNB_BAD_TYPE;
	}
	call.method = method;
	if (method->in.count) {
		in = nnb_arena_alloc(arena, 1, method->in.size);
		ret = in ? nnb_hidl_read(reader, arena, &method->in, in) : -ENOMEM;
	}
	if (!ret && method->out.count) {
		out = nnb_arena_alloc(arena, 1, method->out.size);
		ret = out ? 0 : -ENOMEM;
	}
	if (ret) {
		nna_message(DRIVER, "hal: %s.%s of uid %u, pid %d: a malformed parcel, error %d",
			    descriptor, method->name, (unsigned int)caller->euid, (int)caller->pid,
			    ret);
		return ret;
	}
	ret = nnb_hidl_handler_of(handlers, method)(object, &call, in, out);
	return ret || method->oneway ? ret : nnb_hidl_reply(writer, method, out);
}

/* -------------------------------------------------------------------------------------- calling */

static void nnb_hidl_drop_reply(void *data)
{
	nnb_hw_fini(data);
}

/* Calls an object of this process: the parcels go through memory as through the driver. */
static int nnb_hidl_call_here(struct nnb_object *object, const struct nnb_caller *caller,
			      const struct nnb_hidl_method *method, const struct nnb_hw *request,
			      struct nnb_hw *reply)
{
	struct nnb_arena inner = {0};
	struct nnb_hw in, out;
	int ret;

	nnb_hw_init(&in);
	nnb_hw_init(&out);
	ret = nnb_hw_deliver(request, &in);
	if (!ret)
		ret = object->ops->answer(object, caller, method->interface->descriptor,
					  method->code, &in, &inner, &out);
	if (!ret)
		ret = nnb_hw_deliver(&out, reply);
	nnb_hw_fini(&out);
	nnb_hw_fini(&in);
	nnb_arena_fini(&inner);
	return ret;
}

int nnb_hidl_call(struct nnb_object *object, const struct nnb_caller *caller,
		  const struct nnb_hidl_method *method, const void *in, struct nnb_arena *arena,
		  void *out)
{
	struct nnb_hw *reply = nnb_arena_alloc(arena, 1, sizeof(*reply));
	struct nnb_hw request;
	int32_t status;
	int ret;

	if (!reply)
		return -ENOMEM;
	nnb_hw_init(reply);
	ret = nnb_arena_defer(arena, nnb_hidl_drop_reply, reply);
	if (ret)
		return ret;
	nnb_hw_init(&request);
	if (method->in.count)
		ret = nnb_hidl_write(&request, &method->in, in);
	if (!ret && object->ops->send)
		ret = object->ops->send(object, method->interface->descriptor, method->code,
					method->oneway, &request, arena, reply);
	else if (!ret && object->ops->answer)
		ret = nnb_hidl_call_here(object, caller, method, &request, reply);
	else if (!ret)
		ret = NNB_BAD_TYPE;
	nnb_hw_fini(&request);
	if (ret || method->oneway)
		return ret;
	ret = nnb_hw_read_int(reply, &status);
	if (!ret && status)
		ret = -EPROTO;
	return ret || !method->out.count ? ret : nnb_hidl_read(reply, arena, &method->out, out);
}
