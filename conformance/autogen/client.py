"""Holds conversations through the Anthropic client of autogen-ext: see program.go."""

import asyncio
import json

import anthropic
from autogen_agentchat.agents import AssistantAgent
from autogen_core.models import (
    AssistantMessage, FunctionExecutionResult, FunctionExecutionResultMessage, ModelFamily, SystemMessage, UserMessage,
)
from autogen_core.tools import BaseTool, ToolSchema
from autogen_ext.models.anthropic import AnthropicChatCompletionClient
from pydantic import BaseModel

import program


class Conversation:
    def __init__(self, base_url, key, setup):
        limits = {name: setup[name] for name in ("max_tokens", "stop_sequences") if name in setup}
        self.model = AnthropicChatCompletionClient(
            model=setup["model"], base_url=base_url, api_key=key, max_retries=0, model_info=MODEL, **limits,
        )
        self.tools = setup.get("tools", [])
        self.offered = {"tools": [Told(None, **t) for t in self.tools]}
        if "tool_choice" in setup:
            self.offered["tool_choice"] = choice(**setup["tool_choice"])
        self.messages = [SystemMessage(content=setup["system"])] if "system" in setup else []
        self.names = {}

    async def turn(self, content, stream, leave):
        results = [part for part in content if part["type"] == "tool_result"]
        if results:
            self.messages.append(FunctionExecutionResultMessage(content=[self.result(**part) for part in results]))
        if said := [part["text"] for part in content if part not in results]:
            self.messages.append(UserMessage(content=said, source="user"))
        if leave:
            return {"content": [{"type": "text", "text": await self.begin()}]}, []
        if stream:
            async for answer in self.model.create_stream(self.messages, **self.offered):
                pass  # the last is all of it
        else:
            answer = await self.model.create(self.messages, **self.offered)
        self.messages.append(AssistantMessage(content=answer.content, thought=answer.thought, source="assistant"))
        return {"content": self.blocks(answer), "stop_reason": STOP_REASONS[answer.finish_reason]}, []

    async def begin(self):
        """Returns the first text of a stream, and leaves it."""
        text = ""
        try:
            async for chunk in self.model.create_stream(self.messages, **self.offered):
                text += chunk
                asyncio.current_task().cancel()  # to close the library's stream does not close the connection
        except asyncio.CancelledError:
            asyncio.current_task().uncancel()
        return text

    async def run(self, content, ran):
        agent = AssistantAgent(
            "assistant", self.model, tools=[Told(ran, **t) for t in self.tools], model_client_stream=True,
            max_tool_iterations=3,
        )
        async for _ in agent.run_stream(task=content[0]["text"]):
            pass

    def result(self, type, tool_use_id, content, is_error=False):
        return FunctionExecutionResult(
            content="".join(part["text"] for part in content), name=self.names[tool_use_id], call_id=tool_use_id,
            is_error=is_error,
        )

    def blocks(self, answer):
        """The text beside calls is their thought."""
        calls = answer.content if isinstance(answer.content, list) else []
        self.names = {call.id: call.name for call in calls}
        text = answer.thought if calls else answer.content
        return ([{"type": "text", "text": text}] if text else []) + [
            {"type": "tool_use", "id": call.id, "name": call.name, "input": json.loads(call.arguments)}
            for call in calls
        ]

    def failure(self, e):
        if isinstance(e, anthropic.APIStatusError):
            return {"status": e.status_code, "body": e.body, "request_id": e.request_id}


# What the library cannot know by the model's name.
MODEL = {
    "family": ModelFamily.UNKNOWN, "function_calling": True, "vision": True, "json_output": False,
    "structured_output": False,
}
STOP_REASONS = {"stop": "end_turn", "length": "max_tokens", "function_calls": "tool_use"}


class Told(BaseTool):
    """A tool that tells what it is run with."""

    def __init__(self, ran, name, description, input_schema):
        super().__init__(BaseModel, str, name, description)
        self.ran, self.parameters = ran, input_schema

    @property
    def schema(self):
        return ToolSchema(name=self.name, description=self.description, parameters=self.parameters)

    async def run_json(self, args, cancellation_token, call_id=None):
        self.ran(self.name, args)
        return "stored"

    async def begin(self):
        """Returns the first text of a stream, and leaves it."""
        text = ""
        try:
            async for chunk in self.model.create_stream(self.messages, **self.offered):
                text += chunk
                asyncio.current_task().cancel()  # to close the library's stream does not close the connection
        except asyncio.CancelledError:
            asyncio.current_task().uncancel()
        return text

    async def run(self, args, cancellation_token):
        raise NotImplementedError


def choice(type, name=None):
    return {"any": "required", "tool": Told(None, name, "", {})}.get(type, type)


program.run(Conversation)
