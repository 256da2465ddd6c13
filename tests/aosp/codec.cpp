// SPDX-License-Identifier: MIT
/*
 * Our codec against AIDL's own: what ours has encoded is decoded and encoded again by the classes
 * that the AIDL compiler made of our printed .aidl, and must come back byte for byte.
 *
 * Theirs are the order, presence, sizes and tags of everything: the compiler's output and the NDK's
 * binder_parcel_utils.h. The primitives below them, libbinder_ndk's functions on an AParcel, are
 * this file's own, on a parcel in memory: encoded as AOSP's Parcel does it.
 */
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include <android/binder_parcel.h>

#include "all.h"
#include "tests/aosp/values.h"

struct AParcel {
	std::vector<unsigned char> bytes;
	size_t at = 0;

	binder_status_t take(void *to, size_t size)
	{
		size_t padded = (size + 3) & ~size_t(3);

		if (padded > bytes.size() - at)
			return STATUS_NOT_ENOUGH_DATA;
		if (size)
			memcpy(to, bytes.data() + at, size);
		at += padded;
		return STATUS_OK;
	}

	binder_status_t put(const void *from, size_t size)
	{
		const unsigned char *first = static_cast<const unsigned char *>(from);

		bytes.insert(bytes.end(), first, first + size);
		bytes.resize((bytes.size() + 3) & ~size_t(3));
		at = bytes.size();
		return STATUS_OK;
	}

	binder_status_t put_int(int32_t value)
	{
		return put(&value, sizeof(value));
	}
};

extern "C" {

int32_t AParcel_getDataPosition(const AParcel *parcel)
{
	return int32_t(parcel->at);
}

binder_status_t AParcel_setDataPosition(const AParcel *parcel, int32_t position)
{
	const_cast<AParcel *>(parcel)->at = size_t(position);
	return STATUS_OK;
}

binder_status_t AParcel_readInt32(const AParcel *parcel, int32_t *value)
{
	return const_cast<AParcel *>(parcel)->take(value, sizeof(*value));
}

/* Sizes of parcelables are written over once they are known, so this may be in the middle. */
binder_status_t AParcel_writeInt32(AParcel *parcel, int32_t value)
{
	if (parcel->at == parcel->bytes.size())
		return parcel->put_int(value);
	memcpy(parcel->bytes.data() + parcel->at, &value, sizeof(value));
	parcel->at += sizeof(value);
	return STATUS_OK;
}

#define PLAIN(name, type)                                                                   \
	binder_status_t AParcel_read##name(const AParcel *parcel, type *value)              \
	{                                                                                   \
		return const_cast<AParcel *>(parcel)->take(value, sizeof(*value));          \
	}                                                                                   \
	binder_status_t AParcel_write##name(AParcel *parcel, type value)                    \
	{                                                                                   \
		return parcel->put(&value, sizeof(value));                                  \
	}

PLAIN(Int64, int64_t)
PLAIN(Float, float)

#define NARROW(name, type)                                                                  \
	binder_status_t AParcel_read##name(const AParcel *parcel, type *value)              \
	{                                                                                   \
		int32_t wide;                                                               \
		binder_status_t status = AParcel_readInt32(parcel, &wide);                  \
		*value = type(wide);                                                        \
		return status;                                                              \
	}                                                                                   \
	binder_status_t AParcel_write##name(AParcel *parcel, type value)                    \
	{                                                                                   \
		return parcel->put_int(value);                                              \
	}

NARROW(Bool, bool)
NARROW(Char, char16_t)

/* Elements of 1 (bytes), 4 or 8 bytes lie side by side. */
#define ARRAY(name, allocate, type)                                                         \
	binder_status_t AParcel_read##name##Array(const AParcel *parcel, void *data,        \
						  AParcel_##allocate##ArrayAllocator allocator) \
	{                                                                                   \
		int32_t count;                                                              \
		binder_status_t status = AParcel_readInt32(parcel, &count);                 \
		type *to = nullptr;                                                         \
		if (status)                                                                 \
			return status;                                                      \
		if (!allocator(data, count, &to))                                           \
			return STATUS_NO_MEMORY;                                            \
		return count <= 0 ? STATUS_OK :                                             \
			const_cast<AParcel *>(parcel)->take(to, size_t(count) * sizeof(type)); \
	}                                                                                   \
	binder_status_t AParcel_write##name##Array(AParcel *parcel, const type *values,     \
						   int32_t count)                           \
	{                                                                                   \
		parcel->put_int(count);                                                     \
		return parcel->put(values, size_t(count > 0 ? count : 0) * sizeof(type));   \
	}

ARRAY(Int32, int32, int32_t)
ARRAY(Int64, int64, int64_t)
ARRAY(Float, float, float)
ARRAY(Byte, byte, int8_t)

binder_status_t AParcel_readString(const AParcel *parcel, void *data,
				   AParcel_stringAllocator allocator)
{
	int32_t units;
	binder_status_t status = AParcel_readInt32(parcel, &units);
	std::vector<char16_t> text(size_t(units > 0 ? units : 0) + 1);
	std::string narrow;
	char *to;

	if (!status && units >= 0)
		status = const_cast<AParcel *>(parcel)->take(text.data(), text.size() * 2);
	if (status)
		return status;
	for (size_t i = 0; i + 1 < text.size(); i++) {
		uint32_t c = text[i];

		if (c >= 0xd800 && c < 0xdc00)
			c = 0x10000 + ((c - 0xd800) << 10) + (text[++i] - 0xdc00u);
		if (c < 0x80) {
			narrow += char(c);
		} else if (c < 0x800) {
			narrow += {char(0xc0 | c >> 6), char(0x80 | (c & 63))};
		} else if (c < 0x10000) {
			narrow += {char(0xe0 | c >> 12), char(0x80 | (c >> 6 & 63)),
				   char(0x80 | (c & 63))};
		} else {
			narrow += {char(0xf0 | c >> 18), char(0x80 | (c >> 12 & 63)),
				   char(0x80 | (c >> 6 & 63)), char(0x80 | (c & 63))};
		}
	}
	if (!allocator(data, units < 0 ? -1 : int32_t(narrow.size()) + 1, &to))
		return STATUS_NO_MEMORY;
	if (units >= 0)
		memcpy(to, narrow.c_str(), narrow.size() + 1);
	return STATUS_OK;
}

binder_status_t AParcel_writeString(AParcel *parcel, const char *text, int32_t length)
{
	std::vector<char16_t> wide;

	for (int32_t i = 0; i < length;) {
		unsigned char c = static_cast<unsigned char>(text[i++]);
		int more = c < 0x80 ? 0 : c < 0xe0 ? 1 : c < 0xf0 ? 2 : 3;
		uint32_t code = more ? c & (0x3f >> more) : c;

		while (more--)
			code = code << 6 | (static_cast<unsigned char>(text[i++]) & 0x3f);
		if (code >= 0x10000) {
			wide.push_back(char16_t(0xd7c0 + (code >> 10)));
			wide.push_back(char16_t(0xdc00 + (code & 0x3ff)));
		} else {
			wide.push_back(char16_t(code));
		}
	}
	parcel->put_int(int32_t(wide.size()));
	wide.push_back(0);
	return parcel->put(wide.data(), wide.size() * 2);
}

binder_status_t AParcel_readParcelFileDescriptor(const AParcel *parcel, int *fd)
{
	uint32_t object[6];
	int32_t there, channel;
	binder_status_t status = AParcel_readInt32(parcel, &there);

	*fd = -1;
	if (status || !there)
		return status;
	status = AParcel_readInt32(parcel, &channel);
	if (status || channel)
		return status ? status : STATUS_BAD_VALUE;
	status = const_cast<AParcel *>(parcel)->take(object, sizeof(object));
	if (!status && object[0] != 0x66642a85)
		return STATUS_BAD_TYPE;
	*fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	return status;
}

binder_status_t AParcel_writeParcelFileDescriptor(AParcel *parcel, int fd)
{
	const uint32_t object[6] = {0x66642a85, 0x17f};

	parcel->put_int(fd >= 0);
	if (fd < 0)
		return STATUS_OK;
	parcel->put_int(0);
	return parcel->put(object, sizeof(object));
}

/* Objects are null in this comparison. */
binder_status_t AParcel_readStrongBinder(const AParcel *parcel, AIBinder **binder)
{
	uint32_t object[7];

	*binder = nullptr;
	return const_cast<AParcel *>(parcel)->take(object, sizeof(object));
}

binder_status_t AParcel_writeStrongBinder(AParcel *parcel, AIBinder *binder)
{
	const uint32_t object[7] = {0x73622a85};

	return binder ? STATUS_BAD_VALUE : parcel->put(object, sizeof(object));
}

/* Arrays of parcelables and of descriptors: the elements are written by their own functions. */
binder_status_t AParcel_readParcelableArray(const AParcel *parcel, void *data,
					    AParcel_parcelableArrayAllocator allocator,
					    AParcel_readParcelableElement read)
{
	int32_t count;
	binder_status_t status = AParcel_readInt32(parcel, &count);

	if (!status && !allocator(data, count))
		status = STATUS_NO_MEMORY;
	for (int32_t i = 0; i < count && !status; i++)
		status = read(parcel, data, size_t(i));
	return status;
}

binder_status_t AParcel_writeParcelableArray(AParcel *parcel, const void *data, int32_t count,
					     AParcel_writeParcelableElement write)
{
	binder_status_t status = parcel->put_int(count);

	for (int32_t i = 0; i < count && !status; i++)
		status = write(parcel, data, size_t(i));
	return status;
}

/*
 * What the classes of interfaces call while no object is there. The rest of libbinder_ndk is left
 * unresolved: nothing here calls it.
 */
AIBinder_Class *AIBinder_Class_define(const char *, AIBinder_Class_onCreate,
				      AIBinder_Class_onDestroy, AIBinder_Class_onTransact)
{
	return nullptr;
}

bool AIBinder_associateClass(AIBinder *, const AIBinder_Class *)
{
	return false;
}

const AIBinder_Class *AIBinder_getClass(AIBinder *)
{
	return nullptr;
}

void AIBinder_incStrong(AIBinder *)
{
}

void AIBinder_decStrong(AIBinder *)
{
}

} /* extern "C" */

/* Decodes a value and encodes it again. */
template <typename T>
static binder_status_t again(AParcel *from, AParcel *to)
{
	T value;
	binder_status_t status = ::ndk::AParcel_readData(from, &value);

	return status ? status : ::ndk::AParcel_writeData(to, value);
}

using Again = binder_status_t (*)(AParcel *, AParcel *);

static const std::map<std::string, Again> types = {
#define TYPE(name) {#name, again<name>},
	ALL_TYPES(TYPE)
};

int main(int argc, char **argv)
{
	const uint64_t values = argc > 1 ? strtoull(argv[1], nullptr, 0) : 1000;
	unsigned int passed = 0, failed = 0;

	for (uint32_t i = 0; values_name(i); i++) {
		const auto type = types.find(values_name(i));
		const char *why = type == types.end() ? "AIDL has no such type" : nullptr;

		for (uint64_t n = 0; n < values && !why; n++) {
			unsigned char *data = nullptr;
			size_t size = values_encode(i, n * 97 + i, &data);
			AParcel from, to;

			if (!size)
				why = "cannot be encoded here";
			from.bytes.assign(data, data + size);
			free(data);
			if (!why && type->second(&from, &to))
				why = "cannot be decoded there";
			else if (!why && from.at != from.bytes.size())
				why = "is not decoded to its end";
			else if (!why && from.bytes != to.bytes)
				why = "has other bytes there";
		}
		printf("%s %u %s%s%s\n", why ? "not ok" : "ok", i + 1, values_name(i),
		       why ? ": " : "", why ? why : "");
		if (why)
			failed++;
		else
			passed++;
	}
	printf("1..%u\n%u passed, %u failed\n", passed + failed, passed, failed);
	return failed || types.size() != passed;
}
