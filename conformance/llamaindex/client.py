"""Holds conversations through the models of LlamaIndex: see program.go. The argument is the provider."""

import asyncio
import base64
import json
import sys

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.base.llms.types import ToolCallBlock
from llama_index.core.llms import ChatMessage, ImageBlock, MessageRole, TextBlock
from llama_index.core.tools import AsyncBaseTool, ToolMetadata, ToolOutput

import completions
import program


# The library refuses models that it does not know, and sends the name that is given beside.
def open_anthropic(base_url, name, **limits):
    from llama_index.llms.anthropic import Anthropic

    return Anthropic(base_url=base_url, model="claude-3-5-haiku-latest", additional_kwargs={"model": name}, **limits)


def open_openai(base_url, name, **limits):
    from llama_index.llms.openai import OpenAI

    return OpenAI(api_base=base_url + "/v1", model="gpt-4o", additional_kwargs={"model": name}, **limits)


OPEN = {"anthropic": open_anthropic, "openai": open_openai}


class Conversation:
    def __init__(self, base_url, key, setup):
        self.model = OPEN[sys.argv[1]](base_url, setup["model"], api_key=key, max_retries=0, max_tokens=setup["max_tokens"])
        self.messages = [ChatMessage(setup["system"], role=MessageRole.SYSTEM)] if "system" in setup else []
        self.tools = setup.get("tools", [])
        # The rest is sent as it is.
        sent = completions.request(setup) if sys.argv[1] == "openai" else setup
        self.request = {name: sent[name] for name in ("tools", "tool_choice", "stop_sequences", "stop") if name in sent}

    async def turn(self, content, stream, leave):
        results = [part for part in content if part["type"] == "tool_result"]
        said = [part for part in content if part not in results]
        self.messages += [result(**part) for part in results]
        if said:
            self.messages.append(ChatMessage(blocks=blocks(said), role=MessageRole.USER))
        response = await (self.stream(leave) if stream else self.model.achat(self.messages, **self.request))
        self.messages.append(response.message)
        return answer(response), []

    async def stream(self, leave):
        said = ""
        try:
            async for response in await self.model.astream_chat(self.messages, **self.request):
                said += response.delta
                if leave and said:
                    asyncio.current_task().cancel()  # to close the generator would leave the stream open
        except asyncio.CancelledError:
            if not leave:
                raise
            asyncio.current_task().uncancel()
            response.message = ChatMessage(said, role=MessageRole.ASSISTANT)  # a block is there when it has ended
        return response

    async def run(self, content, ran):
        tools = [Told(tool, ran) for tool in self.tools]
        await FunctionAgent(tools=tools, llm=self.model).run(user_msg=content[0]["text"])

    def failure(self, e):
        if sys.argv[1] == "openai":
            import openai_failure

            return openai_failure.told(e)
        import anthropic

        if isinstance(e, anthropic.APIStatusError):
            return {"status": e.status_code, "body": e.body, "request_id": e.request_id}


class Schema:
    """That of a tool's input, where the library expects a type of pydantic's."""

    def __init__(self, schema):
        self.schema = schema

    def model_json_schema(self):
        return self.schema


class Told(AsyncBaseTool):
    """A tool that tells what it is run with."""

    def __init__(self, tool, ran):
        self.told, self.ran = tool, ran

    @property
    def metadata(self):
        return ToolMetadata(self.told["description"], self.told["name"], Schema(self.told["input_schema"]))

    async def acall(self, *args, **input):
        self.ran(self.told["name"], input)
        return ToolOutput(tool_name=self.told["name"], content="stored", raw_input=input, raw_output="stored")

    def call(self, *args, **input):
        raise NotImplementedError


def result(type, tool_use_id, content, is_error=False):
    """That it is an error cannot be told."""
    return ChatMessage(blocks=blocks(content), role=MessageRole.TOOL, additional_kwargs={"tool_call_id": tool_use_id})


def blocks(parts):
    return [
        ImageBlock(image=base64.b64decode(part["source"]["data"]), image_mimetype=part["source"]["media_type"])
        if part["type"] == "image" else TextBlock(text=part["text"])
        for part in parts
    ]


def answer(response):
    return {
        # A stream of OpenAI's has an empty text before calls.
        "content": [block(b) for b in response.message.blocks if isinstance(b, ToolCallBlock) or b.text],
        "stop_reason": reason(response),
    }


def reason(response):
    """Within a stream, that of OpenAI is in the chunk that ends the choice."""
    if sys.argv[1] == "openai":
        return completions.STOP_REASONS.get(response.raw.choices[0].finish_reason)
    return {**response.raw, **response.message.additional_kwargs}.get("stop_reason")


def block(b):
    if isinstance(b, ToolCallBlock):
        # OpenAI's arguments are a text.
        input = json.loads(b.tool_kwargs) if isinstance(b.tool_kwargs, str) else b.tool_kwargs
        return {"type": "tool_use", "id": b.tool_call_id, "name": b.tool_name, "input": input}
    return {"type": "text", "text": b.text}


program.run(Conversation)
