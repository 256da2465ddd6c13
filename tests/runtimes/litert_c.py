# SPDX-License-Identifier: MIT
"""
LiteRT 2.3's C interface, as far as Python's has no part of it: runs that do not wait, and their fences. With it, a
model of one input and one output of bytes, as the mobilenets are.
"""
import ctypes
import os

import ai_edge_litert

NPU = 4
COMPILER_PLUGIN_PATH, DISPATCH_LIBRARY_PATH = 0, 1
STRING, UINT8 = 8, 3
SYNC_FENCE = 1
# Of memory of the host's.
ALIGNMENT = 64


class Option(ctypes.Structure):
    """LiteRtEnvOption of a string."""
    _fields_ = [("tag", ctypes.c_int), ("pad", ctypes.c_int), ("type", ctypes.c_int), ("text", ctypes.c_char_p)]

    def __init__(self, tag, text):
        super().__init__(tag, 0, STRING, text.encode())


class TensorType(ctypes.Structure):
    """LiteRtRankedTensorType of bytes."""
    _fields_ = [("element_type", ctypes.c_int), ("rank", ctypes.c_uint), ("dims", ctypes.c_int32 * 8),
                ("strides", ctypes.c_uint32 * 8)]

    def __init__(self, shape):
        super().__init__(UINT8, len(shape), (ctypes.c_int32 * 8)(*shape))


class LiteRt:
    """The library of the wheel. A call raises an exception for a status other than 0."""

    def __init__(self):
        self.library = ctypes.CDLL(os.path.join(os.path.dirname(ai_edge_litert.__file__), "libLiteRt.so"))

    def call(self, name, *arguments):
        status = getattr(self.library, "LiteRt" + name)(*arguments)
        if status:
            raise RuntimeError("LiteRt%s: %d" % (name, status))

    def get(self, name, *arguments):
        """A call whose last argument is where it puts an object."""
        out = ctypes.c_void_p()
        self.call(name, *arguments, ctypes.byref(out))
        return out


class Model:
    """A model on the NPU alone, and buffers of the type that it asks for."""

    def __init__(self, path, folder, input_shape, output_shape):
        self.c = c = LiteRt()
        options = (Option * 2)(Option(COMPILER_PLUGIN_PATH, folder), Option(DISPATCH_LIBRARY_PATH, folder))
        self.environment = c.get("CreateEnvironment", 2, options)
        self.model = c.get("CreateModelFromFile", self.environment, os.fsencode(path))
        self.options = c.get("CreateOptions")
        c.call("SetOptionsHardwareAccelerators", self.options, NPU)
        self.compiled = c.get("CreateCompiledModel", self.environment, self.model, self.options)
        self.input_type, self.host = TensorType(input_shape), None
        self.buffers = []
        zero = ctypes.c_size_t(0)
        for way, shape in ("Input", input_shape), ("Output", output_shape):
            needs = c.get("GetCompiledModel%sBufferRequirements" % way, self.compiled, zero, zero)
            self.buffers.append(c.get("CreateManagedTensorBufferFromRequirements", self.environment,
                                      ctypes.byref(TensorType(shape)), needs))
        self.input, self.output = (ctypes.c_void_p(b.value) for b in self.buffers)
        one = ctypes.c_size_t(1)
        self.arguments = (self.compiled, zero, one, ctypes.byref(self.input), one, ctypes.byref(self.output))
        self.run_function = c.library.LiteRtRunCompiledModel

    def use_host_input(self, data):
        """Runs take their input from memory of the host's from now on."""
        self.host = ctypes.create_string_buffer(len(data) + ALIGNMENT)
        start = -ctypes.addressof(self.host) % ALIGNMENT
        self.host[start:start + len(data)] = data
        self.input.value = self.c.get("CreateTensorBufferFromHostMemory", ctypes.byref(self.input_type),
                                      ctypes.c_void_p(ctypes.addressof(self.host) + start),
                                      ctypes.c_size_t(len(data)), None).value
        self.buffers.append(ctypes.c_void_p(self.input.value))

    def run(self):
        """Runs it, and waits."""
        status = self.run_function(*self.arguments)
        if status:
            raise RuntimeError("LiteRtRunCompiledModel: %d" % status)

    def run_async(self):
        """Starts a run. Whether it goes on after this."""
        is_async, has = ctypes.c_bool(), ctypes.c_bool()
        # The event of an earlier run is in the way.
        self.c.call("HasTensorBufferEvent", self.output, ctypes.byref(has))
        if has.value:
            self.c.call("ClearTensorBufferEvent", self.output)
        self.c.call("RunCompiledModelAsync", *self.arguments, ctypes.byref(is_async))
        return is_async.value

    def kind(self, buffer):
        """The type of a buffer's memory."""
        kind = ctypes.c_int()
        self.c.call("GetTensorBufferType", buffer, ctypes.byref(kind))
        return kind.value

    def memory(self, buffer, size, write=False):
        """The bytes of a buffer, until unlock(); waits for its event."""
        address = ctypes.c_void_p()
        self.c.call("LockTensorBuffer", buffer, ctypes.byref(address), int(write))
        return (ctypes.c_ubyte * size).from_address(address.value)

    def unlock(self, buffer):
        self.c.call("UnlockTensorBuffer", buffer)

    def set_event(self, buffer, fd):
        """A run waits for this sync_file, which LiteRT closes."""
        event = self.c.get("CreateEventFromSyncFenceFd", self.environment, fd, ctypes.c_bool(True))
        self.c.call("SetTensorBufferEvent", buffer, event)

    def event_fd(self, buffer):
        """The sync_file of a buffer's event, which stays LiteRT's; None without one."""
        has, kind, fd = ctypes.c_bool(), ctypes.c_int(), ctypes.c_int()
        self.c.call("HasTensorBufferEvent", buffer, ctypes.byref(has))
        if not has.value:
            return None
        event = self.c.get("GetTensorBufferEvent", buffer)
        self.c.call("GetEventEventType", event, ctypes.byref(kind))
        assert kind.value == SYNC_FENCE, kind
        self.c.call("GetEventSyncFenceFd", event, ctypes.byref(fd))
        return fd.value

    def close(self):
        for buffer in self.buffers:
            self.c.library.LiteRtDestroyTensorBuffer(buffer)
        self.c.library.LiteRtDestroyCompiledModel(self.compiled)
        self.c.library.LiteRtDestroyOptions(self.options)
        self.c.library.LiteRtDestroyModel(self.model)
        self.c.library.LiteRtDestroyEnvironment(self.environment)
