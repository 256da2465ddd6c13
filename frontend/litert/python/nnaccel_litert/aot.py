# SPDX-License-Identifier: MIT
"""
Models that are compiled ahead of time, by LiteRT's aot_compile().

    from ai_edge_litert.aot import aot_compile
    from nnaccel_litert.aot import Target

    result = aot_compile.aot_compile("model.tflite", target=Target())
    print(result.compilation_report())

To import this module is to register the backend with LiteRT.
"""
import dataclasses

from ai_edge_litert.aot.core import aot_types, components
from ai_edge_litert.aot.vendors import import_vendor

from nnaccel_litert import path_to_libs

BACKEND_ID = "nnaccel"
MANUFACTURER = "NNAccel"
MODEL = "NNA1"


@dataclasses.dataclass(frozen=True)
class Target(aot_types.Target):
    """The NNA."""
    soc_model: str = MODEL

    def __hash__(self):
        return hash((MANUFACTURER, self.soc_model))

    def __eq__(self, other):
        return isinstance(other, Target) and other.soc_model == self.soc_model

    def __repr__(self):
        return "%s_%s" % (MANUFACTURER, self.soc_model)

    @classmethod
    def backend_id(cls):
        return BACKEND_ID

    def flatten(self):
        return super().flatten() | {"soc_manufacturer": MANUFACTURER, "soc_model": self.soc_model}


@import_vendor.register_backend
class Backend(aot_types.Backend):
    """How LiteRT's steps are called for the NNA."""

    @classmethod
    def create(cls, config):
        if config.get("backend_id", "") != cls.id():
            raise ValueError("this is the backend \"%s\"" % cls.id())
        return cls(config)

    @classmethod
    def id(cls):
        return BACKEND_ID

    @property
    def target(self):
        return Target(self.soc_model)

    @property
    def target_id(self):
        return repr(self.target)

    @property
    def soc_manufacturer(self):
        return MANUFACTURER

    @property
    def soc_model(self):
        return self.config.get("soc_model", MODEL)

    @property
    def quantize_recipe(self):
        return self.config.get("quantize_recipe", None)

    def specialize(self):
        yield self

    def call_component(self, input_model, output_model, component):
        if isinstance(component, components.ApplyPluginT):
            return component(input_model, output_model, MANUFACTURER, self.soc_model, libs=str(path_to_libs()))
        if isinstance(component, components.AieQuantizerT):
            return component(input_model, output_model, quantization_recipe=self.quantize_recipe)
        if isinstance(component, components.MlirTransformsT):
            return component(input_model, output_model, [])
        raise NotImplementedError("the backend \"%s\" has no step %s" % (self.id(), component.component_name))
