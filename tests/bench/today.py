#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Networks of today at the sizes that people run, for `make bench`: today.py FOLDER [NAME...]

Their weights are random. The converters and the architectures are those of tests/clients/today.py,
which makes small ones, for results; these are for times, each with floats, with weights of 8 bits
(dynamic) and with all of 8 bits (a8w8). A model that is there already is kept: remove the folder
after a change.
"""

import importlib.util
import sys
from pathlib import Path

import torch

# This file has the other one's name.
spec = importlib.util.spec_from_file_location(
    "small", Path(__file__).resolve().parents[1] / "clients/today.py")
small = importlib.util.module_from_spec(spec)
spec.loader.exec_module(small)

TEXT = 128


class Step(torch.nn.Module):
    """A decoder's step: one token's state through layers that attend to a cache of keys and values.

    Inputs are the state (1, 1, width), and keys and values (layers, heads, past, width / heads) of
    the tokens before; outputs are the scores of the next token and this one's keys and values.
    """

    def __init__(self, width=512, layers=4, heads=8, words=1000):
        super().__init__()
        self.width, self.heads = width, heads

        def linear(i, o):
            return torch.nn.Linear(i, o, bias=False)
        self.layers = torch.nn.ModuleList([torch.nn.ModuleDict({
            "first": torch.nn.LayerNorm(width), "second": torch.nn.LayerNorm(width),
            "qkv": linear(width, 3 * width), "out": linear(width, width),
            "gate": linear(width, 3 * width), "up": linear(width, 3 * width),
            "down": linear(3 * width, width)}) for _ in range(layers)])
        self.scores = linear(width, words)

    def forward(self, x, keys, values):
        size, new = self.width // self.heads, []
        for number, layer in enumerate(self.layers):
            q, k, v = (part.reshape(self.heads, 1, size)
                       for part in layer["qkv"](layer["first"](x)).chunk(3, -1))
            new += [k, v]
            weights = q @ torch.cat([keys[number], k], 1).transpose(1, 2) * size ** -0.5
            y = weights.softmax(-1) @ torch.cat([values[number], v], 1)
            x = x + layer["out"](y.reshape(1, 1, self.width))
            y = layer["second"](x)
            x = x + layer["down"](torch.nn.functional.silu(layer["gate"](y)) * layer["up"](y))
        return (self.scores(x), *new)


def words():
    return torch.randint(0, small.WORDS, (1, TEXT), dtype=torch.int32)


def bert_layer():
    config = small.hf.BertConfig(vocab_size=small.WORDS, max_position_embeddings=TEXT,
                                 num_hidden_layers=1)
    return small.Part(small.hf.BertModel(config), ("input_ids", "attention_mask"),
                      "last_hidden_state"), \
        (words, lambda: torch.ones(1, TEXT, dtype=torch.int32))


def decoder_step():
    past = lambda: torch.rand(4, 8, 255, 64) * 2 - 1  # noqa: E731
    return Step().eval(), (lambda: torch.rand(1, 1, 512) * 2 - 1, past, past)


MODELS = {
    "vit_tiny_224": lambda: small.vision("ViT", 224, hidden_size=192, num_attention_heads=3,
                                         intermediate_size=768),
    "bert_base_layer_128": bert_layer,
    "decoder_step_256": decoder_step,
    "yolo_320": lambda: (small.Head(32, 80).eval(), (small.image(320),)),
    "mobilevit_xxs_256": lambda: small.vision(
        "MobileViT", 256, hidden_sizes=[64, 80, 96],
        neck_hidden_sizes=[16, 16, 24, 48, 64, 80, 320], expand_ratio=2.0),
}


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    small.MODELS = MODELS
    for name in sys.argv[2:] or MODELS:
        for variant in ("float", "dynamic", "a8w8"):
            small.make(name, variant, folder)
            refused = folder / f"{name}-{variant}.refused"
            if refused.exists():
                print(f"{name}-{variant}: the converter refuses it: {refused.read_text()}", end="")


main()
