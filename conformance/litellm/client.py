"""Holds conversations through the litellm package: see program.go. The argument is the provider."""

import json
import os
import sys

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # it would be fetched

import litellm
from litellm.llms.base_llm.chat.transformation import BaseLLMException

import program

litellm.suppress_debug_info = True


def to_anthropic(model, base_url, key):
    return {"model": "anthropic/" + model, "api_base": base_url, "api_key": key}


def to_converse(model, base_url, key):
    return {
        "model": "bedrock/converse/" + model, "aws_bedrock_runtime_endpoint": base_url, "aws_region_name": "us-east-1",
        "aws_access_key_id": key, "aws_secret_access_key": "none",
        "allowed_openai_params": ["tools", "tool_choice"],  # what the library cannot know by the model's name
    }


TO = {"anthropic": to_anthropic, "converse": to_converse}
STOP_REASONS = {"stop": "end_turn", "length": "max_tokens", "tool_calls": "tool_use"}


class Conversation:
    def __init__(self, base_url, key, setup):
        self.request = {**TO[sys.argv[1]](setup["model"], base_url, key), "max_tokens": setup["max_tokens"], "max_retries": 0}
        if "stop_sequences" in setup:
            self.request["stop"] = setup["stop_sequences"]
        if "tools" in setup:
            self.request["tools"] = [tool(**t) for t in setup["tools"]]
        if "tool_choice" in setup:
            self.request["tool_choice"] = choice(**setup["tool_choice"])
        self.messages = [{"role": "system", "content": setup["system"]}] if "system" in setup else []

    async def turn(self, content, stream, leave):
        results = [part for part in content if part["type"] == "tool_result"]
        self.messages += [
            {"role": "tool", "tool_call_id": part["tool_use_id"], "content": parts(part["content"])} for part in results
        ]
        if said := [part for part in content if part not in results]:
            self.messages.append({"role": "user", "content": parts(said)})
        response = await litellm.acompletion(messages=self.messages, stream=stream, **self.request)
        if stream:
            chunks = []
            async for chunk in response:
                chunks.append(chunk)
                if leave and chunk.choices[0].delta.content:
                    await response.aclose()
                    break
            response = litellm.stream_chunk_builder(chunks, messages=self.messages)
        answered = response.choices[0]
        self.messages.append(answered.message)
        return {"content": blocks(answered.message), "stop_reason": STOP_REASONS[answered.finish_reason]}, []

    def failure(self, e):
        """The library has errors of its own, and keeps that of the server as where they come from."""
        while e and not isinstance(e, BaseLLMException):
            e = e.__cause__ or e.__context__
        if e:
            headers = e.headers or {}
            # The message is the body; within a stream of Bedrock there is the name of the exception before it.
            message = e.message.decode() if isinstance(e.message, bytes) else e.message
            name, brace, rest = message.partition("{")
            if not brace:
                return None
            body = json.loads(brace + rest)
            if name := headers.get("x-amzn-errortype") or name.strip():
                body["__type"] = name
            return {"status": e.status_code, "body": body, "request_id": headers.get("request-id")}


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


def blocks(message):
    text = [{"type": "text", "text": message.content}] if message.content else []
    return text + [
        {"type": "tool_use", "id": call.id, "name": call.function.name, "input": json.loads(call.function.arguments)}
        for call in message.tool_calls or []
    ]


program.run(Conversation)
