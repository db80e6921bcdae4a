"""What a server has told of a failure, where the openai package asked it: see program.go."""

import openai


def told(e):
    """Libraries have errors of their own, and keep that of the package as where they come from. The package's error
    for an event of a stream has neither a status nor a request id."""
    while e and not isinstance(e, openai.APIError):
        e = e.__cause__ or e.__context__
    if isinstance(e, openai.APIStatusError):
        return {"status": e.status_code, "body": e.body, "request_id": e.request_id}
    if e and e.body:
        return {"status": 0, "body": e.body}
