"""What is said to and by a model, in the words of chat completions: see program.go."""

import json

STOP_REASONS = {"stop": "end_turn", "length": "max_tokens", "tool_calls": "tool_use"}


def request(setup):
    """What every request of a conversation says, but for the model."""
    said = {"max_tokens": setup["max_tokens"]}
    if "stop_sequences" in setup:
        said["stop"] = setup["stop_sequences"]
    if "tools" in setup:
        said["tools"] = [tool(**t) for t in setup["tools"]]
    if "tool_choice" in setup:
        said["tool_choice"] = choice(**setup["tool_choice"])
    return said


def begin(setup):
    return [{"role": "system", "content": setup["system"]}] if "system" in setup else []


def said(content):
    """The messages of a turn. None tells whether a result is an error."""
    results = [part for part in content if part["type"] == "tool_result"]
    messages = [{"role": "tool", "tool_call_id": r["tool_use_id"], "content": parts(r["content"])} for r in results]
    if rest := [part for part in content if part not in results]:
        messages.append({"role": "user", "content": parts(rest)})
    return messages


def answer(choice):
    message = choice.message
    text = [{"type": "text", "text": message.content}] if message.content else []
    calls = [
        {"type": "tool_use", "id": call.id, "name": call.function.name, "input": json.loads(call.function.arguments)}
        for call in message.tool_calls or []
    ]
    return {"content": text + calls, "stop_reason": STOP_REASONS[choice.finish_reason]}


def tool(name, description, input_schema):
    return {"type": "function", "function": {"name": name, "description": description, "parameters": input_schema}}


def choice(type, name=None):
    return {"any": "required", "tool": {"type": "function", "function": {"name": name}}}.get(type, type)


def parts(content):
    return [
        {"type": "image_url", "image_url": {"url": f"data:{part['source']['media_type']};base64,{part['source']['data']}"}}
        if part["type"] == "image" else part
        for part in content
    ]
