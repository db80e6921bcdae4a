"""Stands in for torch, which xgrammar imports and needs only where masks are on a GPU."""


class Tensor:
    pass


int32 = float32 = bool = None


class _Anything:
    def __getattr__(self, name):
        return self

    def __call__(self, *args, **kwargs):
        return self


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return _Anything()
