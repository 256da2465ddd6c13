/* SPDX-License-Identifier: MIT */
/*
 * What the C++ of hidl-gen takes from libhidl, libhwbinder and libutils, as far as writing a parcel
 * needs it: types of the layout that HIDL states, and a Parcel that records (record.h).
 */
#ifndef TEST_HAL_STUBS_H
#define TEST_HAL_STUBS_H

#include <array>
#include <cinttypes>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <new>
#include <ostream>
#include <string>
#include <type_traits>
#include <vector>

#include "tests/hal/proxies/record.h"

#define CC_UNLIKELY(x) (x)
#define LOG_ALWAYS_FATAL(...) abort()

/* Descriptors, then integers. */
struct native_handle_t {
	int32_t version, numFds, numInts;
	int32_t data[0];
};

namespace android {

typedef int32_t status_t;
enum { OK = 0, UNKNOWN_ERROR = INT32_MIN };

/* Interfaces are only named here; an object is its address. */
template <typename T> struct sp {
	T *object;
	sp() : object(nullptr) {}
	sp(std::nullptr_t) : object(nullptr) {}
	sp(T *from) : object(from) {}
	T *get() const { return object; }
	bool operator==(std::nullptr_t) const { return !object; }
	bool operator!=(std::nullptr_t) const { return object; }
};

namespace hardware {

struct IBinder;
template <typename T> sp<IBinder> getOrCreateCachedBinder(T *object)
{
	return sp<IBinder>(reinterpret_cast<IBinder *>(object));
}

template <typename T> struct hidl_vec {
	alignas(8) const T *buffer = nullptr;
	uint32_t count = 0;
	bool owns = false;

	size_t size() const { return count; }
	const T *data() const { return buffer; }
	const T &operator[](size_t i) const { return buffer[i]; }
	bool operator==(const hidl_vec &) const { return false; }
	bool operator!=(const hidl_vec &) const { return true; }
	static constexpr size_t kOffsetOfBuffer = 0;
};

struct hidl_string {
	alignas(8) const char *buffer = nullptr;
	uint32_t length = 0;
	bool owns = false;

	bool operator==(const hidl_string &) const { return false; }
	bool operator!=(const hidl_string &) const { return true; }
};

struct hidl_handle {
	alignas(8) const native_handle_t *handle = nullptr;
	bool owns = false;

	hidl_handle() {}
	hidl_handle(const native_handle_t *from) : handle(from) {}
	const native_handle_t *getNativeHandle() const { return handle; }
	operator const native_handle_t *() const { return handle; }
};

struct hidl_memory {
	alignas(8) hidl_handle handle;
	alignas(8) uint64_t size = 0;
	alignas(8) hidl_string name;

	bool operator==(const hidl_memory &) const { return false; }
	bool operator!=(const hidl_memory &) const { return true; }
};

template <typename T, size_t n> struct hidl_array {
	T values[n];

	T *data() { return values; }
	const T *data() const { return values; }
	bool operator==(const hidl_array &) const { return false; }
	bool operator!=(const hidl_array &) const { return true; }
};

struct GrantorDescriptor {
	uint32_t flags, fdIndex, offset;
	uint64_t extent;
};

enum MQFlavor : uint32_t { kSynchronizedReadWrite = 1, kUnsynchronizedWrite = 2 };

template <typename T, MQFlavor flavor> struct MQDescriptor {
	alignas(8) hidl_vec<GrantorDescriptor> grantors;
	alignas(8) const native_handle_t *handle;
	uint32_t quantum, flags;
};

template <typename T> using MQDescriptorSync = MQDescriptor<T, kSynchronizedReadWrite>;

static_assert(sizeof(hidl_vec<int>) == 16 && sizeof(hidl_string) == 16, "layout");
static_assert(sizeof(hidl_handle) == 16 && sizeof(hidl_memory) == 40, "layout");
static_assert(sizeof(MQDescriptor<int, kSynchronizedReadWrite>) == 32, "layout");

/* Writes what libhwbinder's does, without its checks of room. */
class Parcel {
	struct record *to;

	void *grow(size_t size)
	{
		size_t at = to->size;

		size = (size + 3) & ~static_cast<size_t>(3);
		if (size > RECORD_BYTES - at)
			abort();
		memset(to->stream + at, 0, size);
		to->size += size;
		return to->stream + at;
	}

	template <typename T> status_t put(T value)
	{
		memcpy(grow(sizeof(value)), &value, sizeof(value));
		return OK;
	}

	/* Objects of the driver have 40 bytes for a buffer, 32 for descriptors, 24 for a binder. */
	size_t add(const struct record_entry &entry)
	{
		static const size_t sizes[] = {40, 32, 24};

		if (to->count == RECORD_ENTRIES)
			abort();
		to->entries[to->count] = entry;
		to->entries[to->count].offset = to->size;
		grow(sizes[entry.kind]);
		return to->count++;
	}

public:
	explicit Parcel(struct record *record) : to(record) {}

	status_t writeInterfaceToken(const char *descriptor)
	{
		to->descriptor = descriptor;
		return OK;
	}
	status_t writeInt32(int32_t value) { return put(value); }
	status_t writeUint32(uint32_t value) { return put(value); }
	status_t writeInt64(int64_t value) { return put(value); }
	status_t writeUint64(uint64_t value) { return put(value); }
	status_t writeFloat(float value) { return put(value); }
	status_t writeBool(bool value) { return put<int32_t>(value); }

	status_t writeBuffer(const void *data, size_t size, size_t *handle)
	{
		*handle = add({RECORD_BUFFER, 0, RECORD_NO_PARENT, 0, data, size, nullptr});
		return OK;
	}
	status_t writeEmbeddedBuffer(const void *data, size_t size, size_t *handle, size_t parent,
				     size_t offset)
	{
		*handle = add({RECORD_BUFFER, 0, static_cast<uint32_t>(parent), offset, data, size,
			       nullptr});
		return OK;
	}
	status_t writeEmbeddedNativeHandle(const native_handle_t *handle, size_t parent,
					   size_t offset)
	{
		size_t size, buffer;

		if (!handle)
			return writeUint64(0);
		size = sizeof(*handle) + 4 * static_cast<size_t>(handle->numFds + handle->numInts);
		writeUint64(size);
		buffer = add({RECORD_BUFFER, 0, static_cast<uint32_t>(parent), offset, handle, size,
			      nullptr});
		add({RECORD_FDS, 0, static_cast<uint32_t>(buffer), sizeof(*handle), nullptr,
		     static_cast<size_t>(handle->numFds), nullptr});
		return OK;
	}
	status_t writeNativeHandleNoDup(const native_handle_t *handle)
	{
		return writeEmbeddedNativeHandle(handle, RECORD_NO_PARENT, 0);
	}
	status_t writeStrongBinder(const sp<IBinder> &binder)
	{
		/* BINDER_TYPE_BINDER without an address: null stands in no list. */
		static const uint32_t null[6] = {0x73622a85};

		if (binder == nullptr)
			memcpy(grow(sizeof(null)), null, sizeof(null));
		else
			add({RECORD_OBJECT, 0, RECORD_NO_PARENT, 0, nullptr, 0, binder.get()});
		return OK;
	}
};

/* A call that has gone well; others have a message behind the number. */
struct Status {
	static Status ok() { return Status(); }
};

inline status_t writeToParcel(const Status &, Parcel *parcel)
{
	return parcel->writeInt32(0);
}

template <typename T>
status_t writeEmbeddedToParcel(const hidl_vec<T> &vec, Parcel *parcel, size_t parent, size_t offset,
			       size_t *child)
{
	return parcel->writeEmbeddedBuffer(vec.buffer, sizeof(T) * vec.count, child, parent,
					   offset);
}

inline status_t writeEmbeddedToParcel(const hidl_string &string, Parcel *parcel, size_t parent,
				      size_t offset)
{
	size_t child;

	return parcel->writeEmbeddedBuffer(string.buffer, string.length + 1, &child, parent,
					   offset);
}

inline status_t writeEmbeddedToParcel(const hidl_handle &handle, Parcel *parcel, size_t parent,
				      size_t offset)
{
	return parcel->writeEmbeddedNativeHandle(handle.handle, parent, offset);
}

inline status_t writeEmbeddedToParcel(const hidl_memory &memory, Parcel *parcel, size_t parent,
				      size_t offset)
{
	writeEmbeddedToParcel(memory.handle, parcel, parent, offset);
	return writeEmbeddedToParcel(memory.name, parcel, parent,
				     offset + offsetof(hidl_memory, name));
}

template <typename T, MQFlavor flavor>
status_t writeEmbeddedToParcel(const MQDescriptor<T, flavor> &queue, Parcel *parcel, size_t parent,
			       size_t offset)
{
	size_t child;

	writeEmbeddedToParcel(queue.grantors, parcel, parent, offset, &child);
	return parcel->writeEmbeddedNativeHandle(queue.handle, parent, offset + 16);
}

namespace details {
template <typename... T> void logAlwaysFatal(const T &...) { abort(); }
template <typename T> void destructElement(T *element) { element->~T(); }
} /* namespace details */

} /* namespace hardware */

namespace hidl { namespace safe_union { namespace V1_0 {
struct Monostate {};
} } }
} /* namespace android */

/* A vec of interfaces, of an array of objects and their number. */
template <typename T> static inline T objects(const char *at)
{
	T vec;

	memcpy(static_cast<void *>(&vec), at, 12);
	return vec;
}

#endif
