# SPDX-License-Identifier: MIT
"""
ONNX Runtime's C interface, as far as a run by it needs: what Python adds to a run is no part of the runtime. Its wheel
exports no function; libsupport.so is registered as a library of providers, of which it has none, and keeps the table.
"""
import ctypes

API = 23
# Slots of OrtApi.
ERROR_MESSAGE, CREATE_ENV, CREATE_SESSION, RUN, CREATE_OPTIONS, OPTIMISATION, THREADS = 2, 3, 7, 9, 10, 23, 24
TENSOR_OF_DATA, CPU_MEMORY, EP_DEVICES, APPEND_PROVIDER, EP_NAME = 49, 69, 303, 304, 312
RELEASE = {"env": 92, "memory": 94, "session": 95, "value": 96, "options": 100}
FLOAT, UINT8, INT8 = 1, 2, 3


class Api:
    """The runtime that has registered the support library. A call raises an exception for a status."""

    def __init__(self, support):
        support.support_ort_base.restype = ctypes.c_void_p
        base = ctypes.cast(support.support_ort_base(), ctypes.POINTER(ctypes.c_void_p))
        table = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_uint32)(base[0])(API)
        self.table = ctypes.cast(table, ctypes.POINTER(ctypes.c_void_p))
        self.message = ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.c_void_p)(self.table[ERROR_MESSAGE])

    def function(self, slot, *types):
        return ctypes.CFUNCTYPE(ctypes.c_void_p, *types)(self.table[slot])

    def call(self, slot, *arguments):
        status = self.function(slot, *[type(a) for a in arguments])(*arguments)
        if status:
            raise RuntimeError(self.message(status).decode())

    def get(self, slot, *arguments):
        """A call whose last argument is where it puts an object."""
        out = ctypes.c_void_p()
        self.call(slot, *arguments, ctypes.c_void_p(ctypes.addressof(out)))
        return out

    def release(self, kind, what):
        ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self.table[RELEASE[kind]])(what)


class Session:
    """A model on the last device of a provider, with one input and one output in the caller's memory: numpy arrays."""

    def __init__(self, api, path, provider, inputs, outputs):
        """@inputs, @outputs: (name, array, element type)"""
        self.api, self.kept = api, (inputs, outputs)
        void, number, size = ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t
        self.env = api.get(CREATE_ENV, number(3), ctypes.c_char_p(b"cost"))
        options = api.get(CREATE_OPTIONS)
        # So that both compile the same graph, and no threads of ONNX Runtime's spin on the CPU.
        api.call(OPTIMISATION, options, number(0))
        api.call(THREADS, options, number(1))
        devices = self.devices(provider)
        api.call(APPEND_PROVIDER, options, self.env, void(ctypes.addressof(devices)), size(1), void(), void(), size(0))
        self.session = api.get(CREATE_SESSION, self.env, ctypes.c_char_p(path.encode()), options)
        api.release("options", options)
        memory = api.get(CPU_MEMORY, number(0), number(0))
        self.values, self.names = [], []
        for name, array, kind in (inputs, outputs):
            shape = (ctypes.c_int64 * array.ndim)(*array.shape)
            value = api.get(TENSOR_OF_DATA, memory, void(array.ctypes.data), size(array.nbytes),
                            void(ctypes.addressof(shape)), size(array.ndim), number(kind))
            self.values.append((void * 1)(value))
            self.names.append((ctypes.c_char_p * 1)(name.encode()))
        api.release("memory", memory)
        self.run_function = api.function(RUN, void, void, void, void, size, void, size, void)
        at = ctypes.addressof
        self.arguments = [self.session, void(), void(at(self.names[0])), void(at(self.values[0])), size(1),
                          void(at(self.names[1])), size(1), void(at(self.values[1]))]

    def devices(self, provider):
        """The last device of the provider, as a list of one."""
        number = ctypes.c_size_t()
        lists = ctypes.c_void_p()
        self.api.call(EP_DEVICES, self.env, ctypes.c_void_p(ctypes.addressof(lists)),
                      ctypes.c_void_p(ctypes.addressof(number)))
        all_devices = ctypes.cast(lists, ctypes.POINTER(ctypes.c_void_p))[:number.value]
        name_of = ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.c_void_p)(self.api.table[EP_NAME])
        return (ctypes.c_void_p * 1)([d for d in all_devices if name_of(d) == provider.encode()][-1])

    def run(self):
        status = self.run_function(*self.arguments)
        if status:
            raise RuntimeError(self.api.message(status).decode())

    def close(self):
        for value in self.values:
            self.api.release("value", value[0])
        self.api.release("session", self.session)
        self.api.release("env", self.env)
