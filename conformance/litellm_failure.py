"""What a server has told of a failure, where the litellm package asked it: see program.go."""

import json

from litellm.llms.base_llm.chat.transformation import BaseLLMException


def told(e):
    """The library has errors of its own, and keeps that of the server as where they come from."""
    while e and not isinstance(e, BaseLLMException):
        e = e.__cause__ or e.__context__
    if not e:
        return None
    response = getattr(e.__context__, "response", None)  # release 1.83.0 has no headers beside it
    headers = e.headers or response and response.headers or {}
    # The message is the body; within a stream of Bedrock there is the name of the exception before it.
    message = e.message.decode() if isinstance(e.message, bytes) else e.message
    name, brace, rest = message.partition("{")
    if not brace:
        return None
    body = json.loads(brace + rest)
    if name := headers.get("x-amzn-errortype") or name.strip():
        body["__type"] = name
    return {"status": e.status_code, "body": body, "request_id": headers.get("request-id")}
