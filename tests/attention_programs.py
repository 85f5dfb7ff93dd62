"""Spellings of attention, and programs that only look like it."""

from __future__ import annotations

HEAD = "tdsl 0.1\nfrom std.nn import softmax, masked_softmax, causal, masked_attention, attention\n"
QKV = "(q: f32[2, 7, 4], k: f32[2, 7, 4], v: f32[2, 7, 4]) -> f32[2, 7, 4]"

CLAIMED = {
    "plain": f"pub fn f{QKV} {{ softmax(q @ transpose(k, [0, 2, 1])) @ v }}",
    "scale after": f"pub fn f{QKV} {{ softmax(q @ transpose(k, [0, 2, 1]) / 2.0) @ v }}",
    "scale before, on q": f"pub fn f{QKV} {{ softmax((q * 0.5) @ transpose(k, [0, 2, 1])) @ v }}",
    "scale on k": f"pub fn f{QKV} {{ softmax(q @ transpose(k / 2.0, [0, 2, 1])) @ v }}",
    "mask, then scale": f"""pub fn f{QKV} {{
        softmax((causal_mask(7, f32) + q @ transpose(k, [0, 2, 1])) * 0.5) @ v
    }}""",
    "scale, then mask": f"""pub fn f{QKV} {{
        softmax(0.5 * (q @ transpose(k, [0, 2, 1])) + causal_mask(7, f32)) @ v
    }}""",
    "a mask of minus infinity": f"""pub fn f{QKV} {{
        let later = iota(7)[newaxis, :] > iota(7)[:, newaxis]
        softmax(q @ transpose(k, [0, 2, 1]) + select(later, f32(-inf), 0.0)) @ v
    }}""",
    "a select, the other way round": f"""pub fn f{QKV} {{
        let seen = iota(7)[:, newaxis] >= iota(7)[newaxis, :]
        softmax(select(seen, q @ transpose(k, [0, 2, 1]), -inf)) @ v
    }}""",
    "not seen": f"""pub fn f{QKV} {{
        let seen = iota(7)[newaxis, :] < iota(7)[:, newaxis] + 1
        softmax(select(not seen, -inf, q @ transpose(k, [0, 2, 1]))) @ v
    }}""",
    "other names, two functions": """
        fn weigh[A, B, C](left: f32[A, B, C], right: f32[A, B, C]) -> f32[A, B, B] {
            let raw = left @ transpose(right, [0, 2, 1])
            let top = max(raw, axis=-1, keepdims=true)
            let grown = exp(-(top - raw))
            grown * (1.0 / sum(grown, axis=2, keepdims=true))
        }
        pub fn f(one: f32[2, 7, 4], two: f32[2, 7, 4], three: f32[2, 7, 4]) -> f32[2, 7, 4] {
            weigh(one, two) @ three
        }""",
    "exp of a sum": f"""pub fn f{QKV} {{
        let s = q @ transpose(k, [0, 2, 1]) / 2.0
        let e = exp(-max(s, axis=-1, keepdims=true) + s)
        (e / sum(e, axis=-1, keepdims=true)) @ v
    }}""",
    "an arbitrary mask added": """
        pub fn f(q: f32[2, 3, 4], k: f32[2, 7, 4], v: f32[2, 7, 4], m: f32[3, 7]) -> f32[2, 3, 4] {
            softmax(q @ transpose(k, [0, 2, 1]) / 2.0 + m) @ v
        }""",
    "a mask by select": """
        pub fn f(
            q: f32[2, 3, 4], k: f32[2, 7, 4], v: f32[2, 7, 4], m: bool[2, 3, 7]
        ) -> f32[2, 3, 4] {
            masked_attention(q, k, v, m)
        }""",
    "with a cache": """
        pub fn f(
            q: f32[2, 3, 4], k: f32[2, 9, 4], v: f32[2, 9, 4], pos: i32
        ) -> f32[2, 3, 4] {
            masked_attention(q, k, v, broadcast(causal[Q=3, N=9](pos), [2, 3, 9]))
        }""",
    "grouped heads": """
        pub fn f(q: f32[6, 7, 4], k: f32[2, 7, 4], v: f32[2, 7, 4]) -> f32[6, 7, 4] {
            let kk = reshape(broadcast(k[:, newaxis], [2, 3, 7, 4]), [6, 7, 4])
            let vv = reshape(broadcast(v[:, newaxis], [2, 3, 7, 4]), [6, 7, 4])
            softmax(q @ transpose(kk, [0, 2, 1]) / 2.0 + causal_mask(7, f32)) @ vv
        }""",
    "batches": """
        pub fn f(
            q: f32[3, 2, 7, 4], k: f32[3, 2, 7, 4], v: f32[3, 2, 7, 4], m: f32[3, 1, 1, 7]
        ) -> f32[3, 2, 7, 4] {
            softmax(q @ transpose(k, [0, 1, 3, 2]) / 2.0 + m) @ v
        }""",
    "batches out of rows": """
        pub fn f(x: f32[3, 7, 24]) -> f32[3, 7, 8] {
            let [q, k, v] = [
                transpose(reshape(x[:, :, i*8 : (i+1)*8], [3, 7, 2, 4]), [0, 2, 1, 3]) for i in 0..3
            ]
            let mixed = softmax(q @ transpose(k, [0, 1, 3, 2]) + causal_mask(7, f32)) @ v
            reshape(transpose(mixed, [0, 2, 1, 3]), [3, 7, 8])
        }""",
    "one head without an axis for it": """
        pub fn f(q: f32[5, 4], k: f32[7, 4], v: f32[7, 6]) -> f32[5, 6] {
            softmax(q @ transpose(k, [1, 0])) @ v
        }""",
    "keys of one number": """
        pub fn f(q: f32[2, 3], k: f32, v: f32[5, 4]) -> f32[2, 4] {
            softmax(q @ transpose(broadcast(k, [5, 3]), [1, 0])) @ v
        }""",
    "times the reciprocal": f"""pub fn f{QKV} {{
        let s = q @ transpose(k, [0, 2, 1])
        let e = exp(s - max(s, axis=-1, keepdims=true))
        (e * reciprocal(sum(e, axis=-1, keepdims=true))) @ v
    }}""",
    "a mask of every other position": f"""pub fn f{QKV} {{
        let seen = broadcast(iota(7)[newaxis, :] % 2 == 0, [7, 7])
        softmax(select(seen, q @ transpose(k, [0, 2, 1]), -inf)) @ v
    }}""",
    "one row of sums, put in by hand": f"""pub fn f{QKV} {{
        let s = q @ transpose(k, [0, 2, 1])
        let e = exp(s - max(s, axis=-1)[:, :, newaxis])
        (e / sum(e, axis=-1)[:, :, newaxis]) @ v
    }}""",
    "24 steps": f"""pub fn f{QKV} {{
        softmax(q @ transpose(k, [0, 2, 1]){" - 0.1" * 24}) @ v
    }}""",
    "f64": """
        pub fn f(q: f64[2, 5, 4], k: f64[2, 5, 4], v: f64[2, 5, 3]) -> f64[2, 5, 3] {
            softmax(q @ transpose(k, [0, 2, 1]) + causal_mask(5, f64)) @ v
        }""",
    "bf16 with a softmax in f32": """
        pub fn f(q: bf16[2, 5, 4], k: bf16[2, 5, 4], v: bf16[2, 5, 4]) -> bf16[2, 5, 4] {
            bf16(softmax(f32(q @ transpose(k, [0, 2, 1])))) @ v
        }""",
}

NOT_CLAIMED = {
    "mask after the softmax": (
        f"""pub fn f{QKV} {{
            let mask = f32(iota(7)[newaxis, :] <= iota(7)[:, newaxis])
            (softmax(q @ transpose(k, [0, 2, 1])) * mask) @ v
        }}""",
        "mul comes between the softmax and the product with the values",
    ),
    "another axis": (
        f"""pub fn f{QKV} {{
            let s = q @ transpose(k, [0, 2, 1])
            let e = exp(s - max(s, axis=1, keepdims=true))
            (e / sum(e, axis=1, keepdims=true)) @ v
        }}""",
        "the softmax runs along axis 1, not along the keys",
    ),
    "scores used twice": (
        """pub fn f(q: f32[2, 7, 4], k: f32[2, 7, 4], v: f32[2, 7, 4])
            -> (f32[2, 7, 4], f32[2, 7, 7]) {
            let scores = q @ transpose(k, [0, 2, 1])
            (softmax(scores) @ v, scores)
        }""",
        "`scores` is needed elsewhere, too",
    ),
    "shares used twice": (
        """pub fn f(q: f32[2, 7, 4], k: f32[2, 7, 4], v: f32[2, 7, 4])
            -> (f32[2, 7, 4], f32[2, 7, 7]) {
            let shares = softmax(q @ transpose(k, [0, 2, 1]))
            (shares @ v, shares)
        }""",
        "`shares` is needed elsewhere, too",
    ),
    "f64 scores of an f32 product": (
        """pub fn f(q: f32[2, 7, 4], k: f32[2, 7, 4], v: f32[2, 7, 4]) -> f64[2, 7, 4] {
            softmax(q @ transpose(k, [0, 2, 1]) / f64(sqrt(4))) @ f64(v)
        }""",
        "it is computed in several precisions: f32, f64",
    ),
    "f64 scores, f32 shares": (
        f"""pub fn f{QKV} {{
            f32(softmax(f64(q @ transpose(k, [0, 2, 1])))) @ v
        }}""",
        "it is computed in several precisions: f32, f64",
    ),
    "the largest of something else": (
        f"""pub fn f{QKV} {{
            let s = q @ transpose(k, [0, 2, 1])
            let e = exp(s - max(2.0 * s, axis=-1, keepdims=true))
            (e / sum(e, axis=-1, keepdims=true)) @ v
        }}""",
        "what is taken off before exp is not the largest score of the row",
    ),
    "the sum of something else": (
        f"""pub fn f{QKV} {{
            let s = q @ transpose(k, [0, 2, 1])
            let e = exp(s - max(s, axis=-1, keepdims=true))
            (e / sum(2.0 * e, axis=-1, keepdims=true)) @ v
        }}""",
        "what is summed is not what is divided",
    ),
    "no largest taken off": (
        f"""pub fn f{QKV} {{
            let e = exp(q @ transpose(k, [0, 2, 1]))
            (e / sum(e, axis=-1, keepdims=true)) @ v
        }}""",
        "the largest score of each row is not taken off before exp",
    ),
    "an open depth": (
        """pub fn f[D](q: f32[2, 7, D], k: f32[2, 7, D], v: f32[2, 7, D]) -> f32[2, 7, D] {
            softmax(q @ transpose(k, [0, 2, 1])) @ v
        }""",
        "the depth of a head is open",
    ),
    "two products": (
        f"""pub fn f{QKV} {{
            softmax(q @ transpose(k, [0, 2, 1]) + k @ transpose(q, [0, 2, 1])) @ v
        }}""",
        "the scores are made of several products",
    ),
    "the sums along another axis": (
        f"""pub fn f{QKV} {{
            let s = q @ transpose(k, [0, 2, 1])
            let e = exp(s - max(s, axis=-1, keepdims=true))
            (e / sum(e, axis=1, keepdims=true)) @ v
        }}""",
        "the softmax runs along axis 1, not along the keys",
    ),
    "the largest along another axis": (
        f"""pub fn f{QKV} {{
            let s = q @ transpose(k, [0, 2, 1])
            let e = exp(s - max(s, axis=1, keepdims=true))
            (e / sum(e, axis=-1, keepdims=true)) @ v
        }}""",
        "the softmax runs along axis 1, not along the keys",
    ),
    "the smallest taken off": (
        f"""pub fn f{QKV} {{
            let s = q @ transpose(k, [0, 2, 1])
            let e = exp(s - min(s, axis=-1, keepdims=true))
            (e / sum(e, axis=-1, keepdims=true)) @ v
        }}""",
        "what is taken off before exp is not the largest score of the row",
    ),
    "the sums of other rows": (
        f"""pub fn f{QKV} {{
            let s = q @ transpose(k, [0, 2, 1])
            let e = exp(s - max(s, axis=-1, keepdims=true))
            (e / sum(e, axis=-1)[:, newaxis, :]) @ v
        }}""",
        "the exponentials are divided by the sums of other rows",
    ),
    "the largest of other rows": (
        f"""pub fn f{QKV} {{
            let s = q @ transpose(k, [0, 2, 1])
            let e = exp(s - max(s, axis=-1)[:, newaxis, :])
            (e / sum(e, axis=-1, keepdims=true)) @ v
        }}""",
        "the largest scores of other rows are taken off before exp",
    ),
    "the sum of all rows": (
        f"""pub fn f{QKV} {{
            let s = q @ transpose(k, [0, 2, 1])
            let e = exp(s - max(s, axis=-1, keepdims=true))
            (e / broadcast(sum(reshape(e, [2, 49]), axis=1)[:, newaxis, newaxis], [2, 7, 7])) @ v
        }}""",
        "what is summed is not what is divided",
    ),
    "the sum of rounded ones": (
        f"""pub fn f{QKV} {{
            let s = q @ transpose(k, [0, 2, 1])
            let e = exp(s - max(s, axis=-1, keepdims=true))
            (e / sum(f32(i32(e)), axis=-1, keepdims=true)) @ v
        }}""",
        "what is summed is not what is divided",
    ),
    "2 for a sum of 0": (
        f"""pub fn f{QKV} {{
            let s = q @ transpose(k, [0, 2, 1])
            let e = exp(s - max(s, axis=-1, keepdims=true))
            let total = sum(e, axis=-1, keepdims=true)
            (e / select(total == 0.0, 2.0, total)) @ v
        }}""",
        "what the exponentials are divided by is not their sum",
    ),
    "1 for a sum of 1": (
        f"""pub fn f{QKV} {{
            let s = q @ transpose(k, [0, 2, 1])
            let e = exp(s - max(s, axis=-1, keepdims=true))
            let total = sum(e, axis=-1, keepdims=true)
            (e / select(total == 2.0, 1.0, total)) @ v
        }}""",
        "what the exponentials are divided by is not their sum",
    ),
    "0 for a sum of 0 in another row": (
        f"""pub fn f{QKV} {{
            let s = q @ transpose(k, [0, 2, 1])
            let e = exp(s - max(s, axis=-1, keepdims=true))
            let total = sum(e, axis=-1)
            let is_empty = (total == 0.0)[:, newaxis, :]
            (e / select(broadcast(is_empty, [2, 7, 7]), 1.0, total[:, :, newaxis])) @ v
        }}""",
        "the exponentials are divided by the sums of other rows",
    ),
    "a softmax of regrouped scores": (
        f"""pub fn f{QKV} {{
            let s = softmax(reshape(q @ transpose(k, [0, 2, 1]), [2, 49]))
            reshape(s, [2, 7, 7]) @ v
        }}""",
        "the shares are regrouped or repeated before the product with the values",
    ),
    "rows of several heads": (
        """pub fn f(q: f32[2, 5, 4], k: f32[2, 7, 4], v: f32[7, 4]) -> f32[2, 5, 4] {
            softmax(q @ transpose(k, [0, 2, 1])) @ v
        }""",
        "the shares are regrouped or repeated before the product with the values",
    ),
    "keys that all heads share": (
        """pub fn f(q: f32[2, 5, 4], k: f32[7, 4], v: f32[2, 7, 4]) -> f32[2, 5, 4] {
            softmax(q @ transpose(k, [1, 0])) @ v
        }""",
        "the axes of the scores are regrouped before the softmax",
    ),
    "shares joined": (
        """pub fn f(q: f32[6, 7, 4], k: f32[6, 7, 4], v: f32[2, 21, 4]) -> f32[2, 7, 4] {
            reshape(softmax(q @ transpose(k, [0, 2, 1])), [2, 7, 21]) @ v
        }""",
        "the shares are regrouped or repeated before the product with the values",
    ),
    "shares of one query": (
        """pub fn f(q: f32[2, 1, 4], k: f32[2, 7, 4], v: f32[2, 7, 4]) -> f32[2, 5, 4] {
            broadcast(softmax(q @ transpose(k, [0, 2, 1])), [2, 5, 7]) @ v
        }""",
        "the shares are regrouped or repeated before the product with the values",
    ),
    "one query, masked in many ways": (
        """pub fn f(q: f32[2, 1, 4], k: f32[2, 7, 4], v: f32[2, 7, 4], m: f32[5, 7])
            -> f32[2, 5, 4] {
            softmax(q @ transpose(k, [0, 2, 1]) + m) @ v
        }""",
        "the product is repeated or read in other places than its own",
    ),
    "one head, masked in many ways": (
        """pub fn f(q: f32[1, 5, 4], k: f32[1, 7, 4], v: f32[2, 7, 4], m: f32[2, 5, 7])
            -> f32[2, 5, 4] {
            softmax(q @ transpose(k, [0, 2, 1]) + m) @ v
        }""",
        "the product is repeated or read in other places than its own",
    ),
    "one key, masked in many ways": (
        """pub fn f(q: f32[2, 5, 4], k: f32[2, 1, 4], v: f32[2, 7, 4], m: f32[5, 7])
            -> f32[2, 5, 4] {
            softmax(q @ transpose(k, [0, 2, 1]) + m) @ v
        }""",
        "the product is repeated or read in other places than its own",
    ),
    "scores of two places": (
        """pub fn f(q: f32[7, 4], k: f32[7, 4], v: f32[7, 7, 4]) -> f32[7, 7, 4] {
            let s = q @ transpose(k, [1, 0])
            softmax(broadcast(s[newaxis], [7, 7, 7]) + broadcast(s[:, newaxis], [7, 7, 7])) @ v
        }""",
        "the product is repeated or read in other places than its own",
    ),
    "sums on the way": (
        f"""pub fn f{QKV} {{
            softmax(cumsum(q @ transpose(k, [0, 2, 1]), axis=2)) @ v
        }}""",
        "cumsum comes between the scores and the softmax",
    ),
    "whole numbers on the way": (
        f"""pub fn f{QKV} {{
            softmax(f32(i32(q @ transpose(k, [0, 2, 1])) ** i32(iota(7)))) @ v
        }}""",
        "a power of integers comes between the scores and the softmax",
    ),
    "many steps": (
        f"""pub fn f{QKV} {{
            softmax(q @ transpose(k, [0, 2, 1]){" - 0.1" * 25}) @ v
        }}""",
        "25 operations come between the scores and the softmax",
    ),
    "a deep head": (
        """pub fn f(q: f32[3, 1025], k: f32[5, 1025], v: f32[5, 4]) -> f32[3, 4] {
            softmax(q @ transpose(k, [1, 0])) @ v
        }""",
        "heads of depth 1025 are more than a kernel holds",
    ),
    "a size of something else": (
        """pub fn f[D](q: f32[2, 7, 4], k: f32[2, 7, 4], v: f32[2, 7, 4], x: f32[D])
            -> f32[2, 7, 4] {
            softmax(q @ transpose(k, [0, 2, 1]) / f32(D)) @ v
        }""",
        "an open size cannot be read from the shape of an operand",
    ),
    "one number for all keys": (
        """pub fn f(q: f32[7, 4], k: f32[7, 4], v: f32[7, 7, 4], m: f32[7, 7, 7])
            -> f32[7, 7, 4] {
            softmax((q @ transpose(k, [1, 0]))[:, :, newaxis] + m) @ v
        }""",
        "the product is repeated or read in other places than its own",
    ),
    "one head with an axis put in": (
        """pub fn f(q: f32[5, 4], k: f32[7, 4], v: f32[2, 7, 4], m: f32[2, 5, 7])
            -> f32[2, 5, 4] {
            softmax(reshape(q @ transpose(k, [1, 0]), [1, 5, 7]) + m) @ v
        }""",
        "the product is repeated or read in other places than its own",
    ),
    "the sums of scores, too": (
        f"""pub fn f{QKV} {{
            let s = q @ transpose(k, [0, 2, 1])
            softmax(s + cumsum(s, axis=2)) @ v
        }}""",
        "the product is repeated or read in other places than its own",
    ),
}
