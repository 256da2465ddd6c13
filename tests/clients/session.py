# SPDX-License-Identifier: MIT
"""What the checks of clients do alike with an interpreter of TFLite, of whichever package."""
import os
import tempfile


class Stderr:
    """What libraries in this process write to stderr meanwhile."""

    def __enter__(self):
        self.file = tempfile.TemporaryFile()
        self.before = os.dup(2)
        os.dup2(self.file.fileno(), 2)
        return self

    def __exit__(self, *error):
        os.dup2(self.before, 2)
        os.close(self.before)
        self.file.seek(0)
        self.text = self.file.read().decode(errors="replace")
        self.file.close()


def allocate(interpreter, shapes):
    """Gives each input the shape that shapes(detail) says, and its tensors memory."""
    for detail in interpreter.get_input_details():
        shape = shapes(detail)
        if list(shape) != list(detail["shape"]):
            interpreter.resize_tensor_input(detail["index"], shape)
    interpreter.allocate_tensors()


def invoke(interpreter, inputs):
    """The outputs of a run on what inputs(detail) gives each input."""
    for detail in interpreter.get_input_details():
        interpreter.set_tensor(detail["index"], inputs(detail))
    interpreter.invoke()
    return [interpreter.get_tensor(d["index"]) for d in interpreter.get_output_details()]


def invoke_twice(interpreter, inputs):
    """Those of two runs: state of the first one is not to show in the second."""
    runs = []
    for _ in range(2):
        interpreter.reset_all_variables()
        runs.append(invoke(interpreter, inputs))
    return runs
