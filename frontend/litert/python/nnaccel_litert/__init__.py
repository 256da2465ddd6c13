# SPDX-License-Identifier: MIT
"""
nnaccel for LiteRT's compiled models.

    from ai_edge_litert.compiled_model import CompiledModel
    from ai_edge_litert.environment import Environment
    from ai_edge_litert.hardware_accelerator import HardwareAccelerator
    import nnaccel_litert

    environment = Environment.create(**nnaccel_litert.directories())
    model = CompiledModel.from_file("model.tflite", hardware_accel=HardwareAccelerator.NPU, environment=environment)
    print(nnaccel_litert.report("model.tflite"))

The environment variable NNACCEL_DEVICE chooses the device: a node, "loopback", or "auto".
"""
import ctypes
import dataclasses
import os
import pathlib
import tempfile

__all__ = ["Operator", "Report", "directories", "path_to_libs", "report"]

_PLUGIN = "libLiteRtCompilerPlugin_NNAccel.so"


def path_to_libs():
    """The folder of the compiler plug-in and the dispatch library."""
    return pathlib.Path(__file__).resolve().parent / "lib"


def directories():
    """The arguments of Environment.create()."""
    return {"compiler_plugin_path": str(path_to_libs()), "dispatch_library_path": str(path_to_libs())}


@dataclasses.dataclass(frozen=True)
class Operator:
    """An operator of a model; reason says why it is left to LiteRT, None if the NPU takes it."""
    subgraph: int
    index: int
    name: str
    reason: str | None

    def __str__(self):
        return "operator %d of subgraph %d (%s): %s" % (
            self.index, self.subgraph, self.name,
            "on the NPU" if self.reason is None else "left to LiteRT: " + self.reason)


@dataclasses.dataclass(frozen=True)
class Report:
    """Which operators of a model the NPU takes."""
    operators: tuple[Operator, ...]

    @property
    def taken(self):
        """How many of them."""
        return sum(o.reason is None for o in self.operators)

    @property
    def left(self):
        """The others."""
        return tuple(o for o in self.operators if o.reason is not None)

    def __str__(self):
        return "\n".join(["%d of %d operators on the NPU" % (self.taken, len(self.operators))] +
                         [str(o) for o in self.left])


def report(model):
    """Which operators of a model, a path or the bytes of a file, the NPU takes. ValueError: it cannot be read."""
    if isinstance(model, (bytes, bytearray, memoryview)):
        with tempfile.NamedTemporaryFile(suffix=".tflite") as file:
            file.write(model)
            file.flush()
            return report(file.name)
    tell_type = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint32, ctypes.c_char_p,
                                 ctypes.c_char_p)
    operators = []

    def tell(_, subgraph, index, name, reason):
        operators.append(Operator(subgraph, index, name.decode(errors="replace"),
                                  None if reason is None else reason.decode(errors="replace")))

    function = ctypes.CDLL(str(path_to_libs() / _PLUGIN)).nnaccel_litert_report
    error = ctypes.create_string_buffer(1024)
    if function(os.fsencode(model), tell_type(tell), None, error, ctypes.c_size_t(len(error))):
        raise ValueError(error.value.decode(errors="replace"))
    return Report(tuple(operators))
