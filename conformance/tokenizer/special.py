"""Says which special tokens a tokenizer reads out of texts.

On stdin is a list of objects, each with the special tokens of a vocabulary and texts; on stdout, for each object and
each text, the list of the special tokens in it. All else of a vocabulary are the 256 bytes.
"""

import json
import sys

from tokenizers import AddedToken, Tokenizer, models, pre_tokenizers


def read(special, texts):
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    tokenizer = Tokenizer(models.BPE(vocab={byte: i for i, byte in enumerate(sorted(alphabet))}, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in special])
    known = set(special)
    return [[token for token in tokenizer.encode(text, add_special_tokens=False).tokens if token in known] for text in texts]


print(json.dumps([read(**case) for case in json.load(sys.stdin)]))
