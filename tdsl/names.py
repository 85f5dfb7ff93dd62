"""What well-known model files call the fields of the structs in programs/: tables for `bind`."""

from __future__ import annotations

from tdsl.runtime.weights.renaming import Names as Names

gpt2_hf = Names(
    about="GPT-2 of Hugging Face, for the struct GPT2 of programs/gpt2.tdsl",
    fields={
        "wte": "wte.weight",
        "wpe": "wpe.weight",
        "blocks.*.ln_1.gain": "h.*.ln_1.weight",
        "blocks.*.ln_1.bias": "h.*.ln_1.bias",
        "blocks.*.qkv": "h.*.attn.c_attn",
        "blocks.*.out": "h.*.attn.c_proj",
        "blocks.*.ln_2.gain": "h.*.ln_2.weight",
        "blocks.*.ln_2.bias": "h.*.ln_2.bias",
        "blocks.*.up": "h.*.mlp.c_fc",
        "blocks.*.down": "h.*.mlp.c_proj",
        "ln_f.gain": "ln_f.weight",
        "ln_f.bias": "ln_f.bias",
    },
    prefixes=("", "transformer."),
    # Masks that older files hold, and the head, which is the table of tokens once more.
    ignore=("h.*.attn.bias", "h.*.attn.masked_bias", "lm_head.weight"),
    layout="conv1d",
    as_is=("wte", "wpe"),
)

bert_hf = Names(
    about="BERT of Hugging Face and sentence-transformers, for the struct Bert of programs/bert.tdsl",
    fields={
        "words": "embeddings.word_embeddings.weight",
        "positions": "embeddings.position_embeddings.weight",
        "kinds": "embeddings.token_type_embeddings.weight",
        "norm.gain": "embeddings.LayerNorm.weight",
        "norm.bias": "embeddings.LayerNorm.bias",
        "layers.*.query": "encoder.layer.*.attention.self.query",
        "layers.*.key": "encoder.layer.*.attention.self.key",
        "layers.*.value": "encoder.layer.*.attention.self.value",
        "layers.*.out": "encoder.layer.*.attention.output.dense",
        "layers.*.norm_1.gain": "encoder.layer.*.attention.output.LayerNorm.weight",
        "layers.*.norm_1.bias": "encoder.layer.*.attention.output.LayerNorm.bias",
        "layers.*.up": "encoder.layer.*.intermediate.dense",
        "layers.*.down": "encoder.layer.*.output.dense",
        "layers.*.norm_2.gain": "encoder.layer.*.output.LayerNorm.weight",
        "layers.*.norm_2.bias": "encoder.layer.*.output.LayerNorm.bias",
    },
    prefixes=("", "bert."),
    # A buffer of numbers, and the heads, which are structs of their own.
    ignore=("embeddings.position_ids", "pooler.*", "classifier.*", "cls.*", "qa_outputs.*"),
    layout="torch",
    as_is=("words", "positions", "kinds"),
)

bert_classifier_hf = Names(
    about="the head of BertForSequenceClassification, for the struct Classifier of"
    " programs/bert.tdsl",
    fields={"pooler": "bert.pooler.dense", "out": "classifier"},
    ignore=("bert.embeddings.*", "bert.encoder.*"),
    layout="torch",
)

llama_hf = Names(
    about="Llama and its kin of Hugging Face, for the struct Llama of programs/llama.tdsl",
    fields={
        "tokens": "model.embed_tokens.weight",
        "blocks.*.norm_1": "model.layers.*.input_layernorm.weight",
        "blocks.*.query": "model.layers.*.self_attn.q_proj.weight",
        "blocks.*.key": "model.layers.*.self_attn.k_proj.weight",
        "blocks.*.value": "model.layers.*.self_attn.v_proj.weight",
        "blocks.*.out": "model.layers.*.self_attn.o_proj.weight",
        "blocks.*.norm_2": "model.layers.*.post_attention_layernorm.weight",
        "blocks.*.gate": "model.layers.*.mlp.gate_proj.weight",
        "blocks.*.up": "model.layers.*.mlp.up_proj.weight",
        "blocks.*.down": "model.layers.*.mlp.down_proj.weight",
        "norm": "model.norm.weight",
        # Where the head is tied, a file holds the table of tokens once.
        "head": ("lm_head.weight", "model.embed_tokens.weight"),
    },
    ignore=("model.layers.*.self_attn.rotary_emb.inv_freq",),
    layout="torch",
    as_is=("tokens", "head"),
)

llama_gguf = Names(
    about="Llama and its kin in GGUF files, for the struct Llama of programs/llama.tdsl",
    fields={
        "tokens": "token_embd.weight",
        "blocks.*.norm_1": "blk.*.attn_norm.weight",
        "blocks.*.query": "blk.*.attn_q.weight",
        "blocks.*.key": "blk.*.attn_k.weight",
        "blocks.*.value": "blk.*.attn_v.weight",
        "blocks.*.out": "blk.*.attn_output.weight",
        "blocks.*.norm_2": "blk.*.ffn_norm.weight",
        "blocks.*.gate": "blk.*.ffn_gate.weight",
        "blocks.*.up": "blk.*.ffn_up.weight",
        "blocks.*.down": "blk.*.ffn_down.weight",
        "norm": "output_norm.weight",
        "head": ("output.weight", "token_embd.weight"),
    },
    ignore=("rope_freqs.weight",),
    layout="torch",
    as_is=("tokens", "head"),
    # llama.cpp turns neighbours, not halves: rows of these lie in its order.
    interleaved={
        "blocks.*.query": "llama.attention.head_count",
        "blocks.*.key": "llama.attention.head_count_kv",
    },
)
