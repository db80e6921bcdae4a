"""Holds conversations through the Anthropic generator of haystack: see program.go."""

import asyncio
import os

import anthropic
from haystack.components.agents import Agent
from haystack.dataclasses import ChatMessage, ImageContent, TextContent
from haystack.tools import Tool
from haystack.utils import Secret
from haystack_integrations.components.generators.anthropic import AnthropicChatGenerator

import program


class Conversation:
    def __init__(self, base_url, key, setup):
        os.environ["ANTHROPIC_BASE_URL"] = base_url  # there is no other way
        limits = {name: setup[name] for name in ("max_tokens", "stop_sequences", "tool_choice") if name in setup}
        self.model = AnthropicChatGenerator(
            api_key=Secret.from_token(key), model=setup["model"], max_retries=0, generation_kwargs=limits,
            ignore_tools_thinking_messages=False,
        )
        self.tools = setup.get("tools", [])
        self.messages = [ChatMessage.from_system(setup["system"])] if "system" in setup else []
        self.calls = {}

    async def turn(self, content, stream, leave):
        results = [part for part in content if part["type"] == "tool_result"]
        self.messages += [self.result(**part) for part in results]
        if said := [part for part in content if part not in results]:
            self.messages.append(ChatMessage.from_user(content_parts=parts(said)))
        text = ""

        async def heard(chunk):
            nonlocal text
            text += chunk.content
            if leave and text:
                asyncio.current_task().cancel()  # the library has no word for it

        try:
            answer = await self.model.run_async(
                self.messages, streaming_callback=heard if stream else None, tools=[runnable(None, **t) for t in self.tools],
            )
        except asyncio.CancelledError:
            if not leave:
                raise
            asyncio.current_task().uncancel()
            return {"content": [{"type": "text", "text": text}]}, []
        [message] = answer["replies"]
        self.messages.append(message)
        self.calls = {call.id: call for call in message.tool_calls}
        return {"content": blocks(message), "stop_reason": STOP_REASONS[message.meta["finish_reason"]]}, []

    async def run(self, content, ran):
        async def heard(chunk):
            pass

        agent = Agent(chat_generator=self.model, tools=[runnable(ran, **t) for t in self.tools])
        await agent.run_async([ChatMessage.from_user(content[0]["text"])], streaming_callback=heard)

    def result(self, type, tool_use_id, content, is_error=False):
        return ChatMessage.from_tool(parts(content), origin=self.calls[tool_use_id], error=is_error)

    def failure(self, e):
        if isinstance(e, anthropic.APIStatusError):
            return {"status": e.status_code, "body": e.body, "request_id": e.request_id}


STOP_REASONS = {"stop": "end_turn", "length": "max_tokens", "tool_calls": "tool_use"}


def runnable(ran, name, description, input_schema):
    """A tool that tells what it is run with."""

    def told(**input):
        ran(name, input)
        return "stored"

    return Tool(name=name, description=description, parameters=input_schema, function=told)


def parts(content):
    return [
        ImageContent(base64_image=part["source"]["data"], mime_type=part["source"]["media_type"])
        if part["type"] == "image" else TextContent(text=part["text"])
        for part in content
    ]


def blocks(message):
    text = [{"type": "text", "text": message.text}] if message.text else []
    return text + [
        {"type": "tool_use", "id": call.id, "name": call.tool_name, "input": call.arguments} for call in message.tool_calls
    ]


program.run(Conversation)
