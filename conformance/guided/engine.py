"""Asks an engine of guided decoding what a constraint allows.

usage: engine.py llguidance | xgrammar

Each line of the input is a job: {"grammar" or "tag", "accepts": [text], "draws": N, "seed", "words": [text]}.
The line of the output is {"accepts": [bool], "draws": [text]}: whether each text is a whole answer, and
answers drawn at random under the mask of the engine, half of them from a vocabulary of bytes and half from
one of words. Instead, it may be {"error"}: the engine does not take the constraint.
"""

import json
import os
import random
import sys

LONG = 400  # bytes after which an answer is ended as soon as it may be


class Llguidance:
    def __init__(self):
        import llguidance
        from llguidance.gbnf_to_lark import any_to_lark

        self.lib, self.to_lark, self.tokenizers = llguidance, any_to_lark, {}

    def vocabulary(self, words):
        tokens = [bytes([b]) for b in range(256)] + [w.encode() for w in words] + [b"<|end|>"]
        key = tuple(tokens)
        if key not in self.tokenizers:

            class Vocabulary:
                eos_token_id = len(tokens) - 1
                bos_token_id = None
                special_token_ids = [len(tokens) - 1]

                def __init__(self):
                    self.tokens = tokens

                def __call__(self, text):
                    return list(text.encode() if isinstance(text, str) else text)

            self.tokenizers[key] = self.lib.LLTokenizer(self.lib.TokenizerWrapper(Vocabulary()))
        return tokens, self.tokenizers[key]

    def start(self, job, words):
        tokens, tokenizer = self.vocabulary(words)
        matcher = self.lib.LLMatcher(tokenizer, self.lib.LLMatcher.grammar_from_lark(self.to_lark(job["grammar"])), log_level=0)
        if matcher.is_error():
            raise ValueError(matcher.get_error())
        return LlguidanceState(tokens, matcher)


class LlguidanceState:
    def __init__(self, tokens, matcher):
        self.tokens, self.matcher = tokens, matcher

    def copy(self):
        return LlguidanceState(self.tokens, self.matcher.deep_copy())

    def allowed(self):
        mask = int.from_bytes(self.matcher.compute_bitmask(), "little")
        return [i for i in range(len(self.tokens)) if mask >> i & 1]

    def take(self, token):
        return self.matcher.consume_token(token)

    def take_bytes(self, text):
        n = self.matcher.try_consume_tokens(list(text))
        return n == len(text)

    def done(self):
        return self.matcher.is_accepting()

    def stopped(self):
        return self.matcher.is_stopped()


class Xgrammar:
    def __init__(self):
        sys.path.insert(0, os.path.join(os.path.dirname(__file__), "stand-ins"))
        import numpy
        import xgrammar

        self.lib, self.numpy, self.compilers = xgrammar, numpy, {}

    def start(self, job, words):
        tokens = [bytes([b]) for b in range(256)] + [w.encode() for w in words] + [b"<|end|>"]
        key = tuple(tokens)
        if key not in self.compilers:
            info = self.lib.TokenizerInfo(tokens, self.lib.VocabType.RAW, stop_token_ids=[len(tokens) - 1])
            self.compilers[key] = self.lib.GrammarCompiler(info, max_threads=1, cache_enabled=False)
        compiler = self.compilers[key]
        compiled = compiler.compile_structural_tag(job["tag"]) if "tag" in job else compiler.compile_grammar(job["grammar"])
        return XgrammarState(self.numpy, tokens, self.lib.GrammarMatcher(compiled))


class XgrammarState:
    def __init__(self, numpy, tokens, matcher):
        self.numpy, self.tokens, self.matcher = numpy, tokens, matcher

    def copy(self):
        return XgrammarState(self.numpy, self.tokens, self.matcher.fork())

    def allowed(self):
        mask = self.numpy.full((1, (len(self.tokens) + 31) // 32), -1, dtype=self.numpy.int32)
        self.matcher.fill_next_token_bitmask(mask)
        bits = int.from_bytes(mask.tobytes(), "little")
        return [i for i in range(len(self.tokens)) if bits >> i & 1]

    def take(self, token):
        return self.matcher.accept_token(token)

    def take_bytes(self, text):
        return all(self.matcher.accept_token(b) for b in text)

    def done(self):
        return self.matcher.is_completed()

    def stopped(self):
        return self.matcher.is_terminated()


def draw(rng, start, words):
    """Draws one answer; None if it has no end. Noise hardly ever spells a closing tag: now and then, a word is written
    byte by byte."""
    state, text = start.copy(), b""
    end = len(state.tokens) - 1
    while len(text) < 40 * LONG:
        if rng.random() < 0.15 or len(text) > LONG:
            for word in rng.sample(words, min(8, len(words))):
                trial = state.copy()
                if trial.take_bytes(word):
                    state, text = trial, text + word
                    break
        allowed = state.allowed()
        if not allowed:
            raise ValueError("nothing is allowed behind " + repr(text))
        if end in allowed and (len(allowed) == 1 or len(text) > LONG or rng.random() < 0.5):
            return text
        token = rng.choice([t for t in allowed if t != end])
        if not state.take(token):
            raise ValueError("the mask allows what is refused behind " + repr(text))
        text += state.tokens[token]
        if state.stopped():
            return text
    return None


def answer(engine, job):
    start = engine.start(job, [])
    accepts = []
    for text in job.get("accepts") or []:
        state = start.copy()
        accepts.append(state.take_bytes(text.encode()) and state.done())
    rng = random.Random(job.get("seed", 0))
    words = job.get("words") or []
    begins = {False: start, True: engine.start(job, words)} if job.get("draws") else {}
    draws = []
    while len(draws) < job.get("draws", 0):
        text = draw(rng, begins[len(draws) % 2 == 1], [w.encode() for w in words])
        if text is not None:
            draws.append(text.decode(errors="replace"))
    return {"accepts": accepts, "draws": draws}


def main():
    engine = {"llguidance": Llguidance, "xgrammar": Xgrammar}[sys.argv[1]]()
    for line in sys.stdin:
        job = json.loads(line)
        try:
            result = answer(engine, job)
        except Exception as e:  # of the engine: whatever it raises
            result = {"error": f"{type(e).__name__}: {e}"}
        print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
