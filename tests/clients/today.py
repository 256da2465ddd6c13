#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Makes the models of `make check-models-today`: architectures of today by today's converters.

    today.py FOLDER [NAME...]

Each is an architecture of Hugging Face's transformers at a small size with random weights of a fixed
seed. litert-torch converts it to NAME-float.tflite; AI Edge Quantizer makes the others of it:

    dynamic int8    weights of INT8 per channel, activations FLOAT32
    a8w8, a16w8     activations of INT8 or INT16, by the ranges of two random inputs
    int4            weights of INT4 per channel, activations FLOAT32

A variant that a converter refuses is no file: its message goes to NAME-VARIANT.refused, in one line.
"""

import os
import sys
import traceback
from pathlib import Path

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import numpy as np
import torch
import transformers as hf

TEXT, WORDS = 16, 100
SMALL = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4,
         "intermediate_size": 64}


class Part(torch.nn.Module):
    """A model whose inputs are positional and whose output is one field of what it gives."""

    def __init__(self, model, names, field):
        super().__init__()
        self.model, self.names, self.field = model.eval(), names, field

    def forward(self, *inputs):
        return getattr(self.model(**dict(zip(self.names, inputs))), self.field)


class Head(torch.nn.Module):
    """A detector like YOLO: convolutions with SiLU, a C2f block, SPPF, two scales, decoded boxes."""

    def __init__(self, width=8, classes=4):
        super().__init__()

        def conv(i, o, k=1, s=1):
            return torch.nn.Sequential(torch.nn.Conv2d(i, o, k, s, k // 2, bias=False),
                                       torch.nn.BatchNorm2d(o), torch.nn.SiLU())
        self.stem = torch.nn.Sequential(conv(3, width, 3, 2), conv(width, 2 * width, 3, 2))
        self.split, self.inner = conv(2 * width, 2 * width), conv(width, width, 3)
        self.join = conv(3 * width, 2 * width)
        self.down = conv(2 * width, 2 * width, 3, 2)
        self.pool, self.spread = torch.nn.MaxPool2d(5, 1, 2), conv(8 * width, 2 * width)
        self.up = torch.nn.Upsample(scale_factor=2, mode="nearest")
        self.heads = torch.nn.ModuleList([torch.nn.Conv2d(n, 4 * 8 + classes, 1)
                                          for n in (4 * width, 2 * width)])
        self.register_buffer("bins", torch.arange(8.0).reshape(1, 8))

    def forward(self, x):
        x = self.split(self.stem(x))
        a, b = x.chunk(2, 1)
        x = self.join(torch.cat([a, b, self.inner(b)], 1))
        y = self.down(x)
        pools = [y]
        for _ in range(3):
            pools.append(self.pool(pools[-1]))
        y = self.spread(torch.cat(pools, 1))
        x = torch.cat([x, self.up(y)], 1)
        maps = [head(v).flatten(2) for head, v in zip(self.heads, (x, y))]
        boxes, scores = torch.cat(maps, 2).split([32, maps[0].shape[1] - 32], 1)
        # Along the last dimension: LiteRT's reference kernel of SUM on INT8 forgets the zero point.
        boxes = boxes.reshape(1, 4, 8, -1).transpose(2, 3).softmax(3)
        return torch.cat([torch.nn.functional.linear(boxes, self.bins)[..., 0],
                          scores.sigmoid()], 1)


def words():
    return torch.randint(0, WORDS, (1, TEXT), dtype=torch.int32)


def image(side):
    return lambda: torch.rand(1, 3, side, side) * 2 - 1


def encoder(kind, **more):
    config = getattr(hf, kind + "Config")(vocab_size=WORDS, max_position_embeddings=TEXT, **more)
    return Part(getattr(hf, kind + "Model")(config), ("input_ids", "attention_mask"),
                "last_hidden_state"), (words, lambda: torch.ones(1, TEXT, dtype=torch.int32))


def decoder(kind, **more):
    name = "GPT2LMHeadModel" if kind == "GPT2" else kind + "ForCausalLM"
    model = getattr(hf, name)(getattr(hf, kind + "Config")(
        vocab_size=WORDS, max_position_embeddings=2 * TEXT, use_cache=False, **more))
    return Part(model, ("input_ids",), "logits"), (words,)


def llama(kind, **more):
    return decoder(kind, num_key_value_heads=2, head_dim=8, **SMALL, **more)


def vision(kind, side, **more):
    model = getattr(hf, kind + "Model")(getattr(hf, kind + "Config")(**more))
    return Part(model, ("pixel_values",), "last_hidden_state"), (image(side),)


def whisper():
    model = hf.WhisperModel(hf.WhisperConfig(
        vocab_size=WORDS, num_mel_bins=16, d_model=32, encoder_layers=2, decoder_layers=2,
        encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=64,
        decoder_ffn_dim=64, max_source_positions=32, max_target_positions=TEXT, use_cache=False,
        pad_token_id=0, bos_token_id=1, eos_token_id=2, decoder_start_token_id=1,
        suppress_tokens=None, begin_suppress_tokens=None))
    return Part(model, ("input_features", "decoder_input_ids"), "last_hidden_state"), \
        (lambda: torch.rand(1, 16, 64), words)


def sam():
    model = hf.SamVisionModel(hf.SamVisionConfig(
        hidden_size=32, output_channels=16, num_hidden_layers=2, num_attention_heads=4,
        image_size=64, patch_size=8, mlp_dim=64, window_size=4, global_attn_indexes=[1]))
    return Part(model, ("pixel_values",), "last_hidden_state"), (image(64),)


def wave():
    model = hf.Wav2Vec2Model(hf.Wav2Vec2Config(
        conv_dim=(16, 16, 16), conv_stride=(5, 2, 2), conv_kernel=(10, 3, 3),
        num_feat_extract_layers=3, num_conv_pos_embeddings=16, num_conv_pos_embedding_groups=4,
        apply_spec_augment=False, **SMALL))
    return Part(model, ("input_values",), "last_hidden_state"), (lambda: torch.rand(1, 800) - 0.5,)


MODELS = {
    "bert": lambda: encoder("Bert", **SMALL),
    "distilbert": lambda: encoder("DistilBert", dim=32, n_layers=2, n_heads=4, hidden_dim=64),
    "gpt2": lambda: decoder("GPT2", n_embd=32, n_layer=2, n_head=4, n_positions=2 * TEXT),
    "llama": lambda: llama("Llama"),
    "gemma": lambda: llama("Gemma2", query_pre_attn_scalar=8, sliding_window=8),
    "qwen": lambda: llama("Qwen3"),
    "whisper": whisper,
    "vit": lambda: vision("ViT", 32, image_size=32, patch_size=8, **SMALL),
    "swin": lambda: vision("Swin", 32, image_size=32, patch_size=2, embed_dim=16, depths=[2, 2],
                           num_heads=[2, 4], window_size=4),
    "wav2vec2": wave,
    "sam": sam,
    "yolo": lambda: (Head().eval(), (image(64),)),
    "yolos": lambda: vision("Yolos", 32, image_size=[32, 32], patch_size=8,
                            num_detection_tokens=4, **SMALL),
    "mobilevit": lambda: vision("MobileViT", 128, image_size=128, hidden_sizes=[16, 24, 32],
                                neck_hidden_sizes=[8, 8, 16, 16, 24, 24, 32],
                                num_attention_heads=4),
    "segformer": lambda: vision("Segformer", 64, num_encoder_blocks=4, depths=[1, 1, 1, 1],
                                hidden_sizes=[8, 16, 24, 32], num_attention_heads=[1, 2, 2, 4],
                                decoder_hidden_size=16),
}

VARIANTS = ("float", "dynamic", "a8w8", "a16w8", "int4")


def enliven(model):
    """Random parameters of a size that keeps numbers of about 1 through all layers."""
    for name, p in model.named_parameters():
        with torch.no_grad():
            if p.dim() > 1:
                p.normal_(0, p[0].numel() ** -0.5)
            elif name.endswith("bias"):
                p.uniform_(-0.2, 0.2)
            else:
                p.uniform_(0.5, 1.5)


def convert(name, path):
    import litert_torch
    torch.manual_seed(sum(map(ord, name)))
    model, makers = MODELS[name]()
    enliven(model)
    litert_torch.convert(model, tuple(make() for make in makers)).export(str(path))


def quantise(name, variant, source, path):
    from ai_edge_quantizer import quantizer, recipe
    wanted = {"dynamic": recipe.dynamic_wi8_afp32, "a8w8": recipe.static_wi8_ai8,
              "a16w8": recipe.static_wi8_ai16, "int4": recipe.dynamic_wi4_afp32}[variant]()
    qt = quantizer.Quantizer(str(source), wanted)
    ranges = None
    if qt.need_calibration:
        torch.manual_seed(1)
        makers = MODELS[name]()[1]
        torch.manual_seed(2)
        data = [{f"args_{i}": make().numpy() for i, make in enumerate(makers)} for _ in range(2)]
        ranges = qt.calibrate({"serving_default": data})
    path.write_bytes(bytes(qt.quantize(ranges).quantized_model))


def make(name, variant, folder):
    path, source = (folder / f"{name}-{kind}.tflite" for kind in (variant, "float"))
    refused = path.with_suffix(".refused")
    if path.exists() or refused.exists():
        return
    part = path.with_suffix(".part")
    try:
        if variant == "float":
            convert(name, part)
        else:
            quantise(name, variant, source, part)
        part.rename(path)
    except Exception as error:
        if os.environ.get("TODAY_TRACE"):
            traceback.print_exc()
        text = (str(error).strip() or type(error).__name__).splitlines()[-1]
        refused.write_text(text[:200] + "\n")


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[2:] or MODELS:
        for variant in VARIANTS:
            if variant == "float" or (folder / f"{name}-float.tflite").exists():
                make(name, variant, folder)
        print(name, flush=True)


if __name__ == "__main__":
    main()
