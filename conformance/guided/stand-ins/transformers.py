"""Stands in for transformers, whose tokenizers are not used here."""


class PreTrainedTokenizerBase:
    pass


class PreTrainedTokenizerFast:
    pass


class LogitsProcessor:
    pass
