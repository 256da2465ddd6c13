# SPDX-License-Identifier: MIT
"""The execution provider of the NNA accelerator for ONNX Runtime 1.23 and later.

    onnxruntime.register_execution_provider_library("nnaccel", get_library_path())
"""
from pathlib import Path

__all__ = ["get_ep_name", "get_ep_names", "get_library_path"]


def get_library_path():
    """The library that ONNX Runtime registers."""
    return str(Path(__file__).with_name("libonnxruntime_providers_nnaccel.so"))


def get_ep_names():
    """The names of the providers in it."""
    return ["NNAccelExecutionProvider"]


def get_ep_name():
    """The name of the only provider in it."""
    return get_ep_names()[0]
