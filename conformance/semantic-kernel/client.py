"""Holds conversations through the Anthropic connector of semantic-kernel: see program.go."""

from functools import reduce
from operator import add

import anthropic
from semantic_kernel import Kernel
from semantic_kernel.connectors.ai.anthropic import AnthropicChatCompletion, AnthropicChatPromptExecutionSettings
from semantic_kernel.connectors.ai.function_choice_behavior import FunctionChoiceBehavior
from semantic_kernel.contents import (
    AuthorRole, ChatHistory, ChatMessageContent, FunctionCallContent, FunctionResultContent, TextContent,
)
from semantic_kernel.functions import KernelFunctionFromMethod, KernelParameterMetadata, kernel_function

import program


class Conversation:
    def __init__(self, base_url, key, setup):
        """The kernel would offer each function by the name of its plugin and its own: here they have only one."""
        self.model = AnthropicChatCompletion(
            ai_model_id=setup["model"], api_key=key,
            async_client=anthropic.AsyncAnthropic(base_url=base_url, api_key=key, max_retries=0),
        )
        self.tools = setup.get("tools", [])
        given = {name: setup[name] for name in ("max_tokens", "stop_sequences", "tool_choice") if name in setup}
        self.settings = AnthropicChatPromptExecutionSettings(tools=self.tools or None, **given)
        self.history = ChatHistory(system_message=setup.get("system"))
        self.names = {}

    async def turn(self, content, stream, leave):
        results = [part for part in content if part["type"] == "tool_result"]
        if results:
            self.history.add_message(ChatMessageContent(AuthorRole.TOOL, items=[self.result(**part) for part in results]))
        for part in content:
            if part not in results:
                self.history.add_user_message(part["text"])
        if stream:
            chunks = []
            pieces = self.model.get_streaming_chat_message_content(self.history, self.settings)
            async for piece in pieces:
                chunks.append(piece)
                if leave and piece.content:
                    await pieces.aclose()
                    return {"content": [{"type": "text", "text": piece.content}]}, []
            message = reduce(add, chunks)
        else:
            message = await self.model.get_chat_message_content(self.history, self.settings)
        self.history.add_message(message)
        self.names = {item.id: item.name for item in message.items if isinstance(item, FunctionCallContent)}
        return {"content": blocks(message), "stop_reason": STOP_REASONS[message.finish_reason.value]}, []

    async def run(self, content, ran):
        kernel = Kernel()
        kernel.add_functions("tools", [runnable(ran, **t) for t in self.tools])
        self.settings.function_choice_behavior = FunctionChoiceBehavior.Auto(enable_kernel_functions=False)
        self.history.add_user_message(content[0]["text"])
        async for _ in self.model.get_streaming_chat_message_content(self.history, self.settings, kernel=kernel):
            pass

    def result(self, type, tool_use_id, content, is_error=False):
        text = "".join(part["text"] for part in content)
        return FunctionResultContent(id=tool_use_id, name=self.names[tool_use_id], result=text)

    def failure(self, e):
        """The library has an error of its own, which comes from that of the server."""
        if isinstance(e := e.__cause__, anthropic.APIStatusError):
            return {"status": e.status_code, "body": e.body, "request_id": e.request_id}


STOP_REASONS = {"stop": "end_turn", "length": "max_tokens", "tool_calls": "tool_use"}


def runnable(ran, name, description, input_schema):
    """A function that tells what it is run with."""

    @kernel_function(name=name, description=description)
    def told(**input):
        ran(name, input)
        return "stored"

    return KernelFunctionFromMethod(told, parameters=[
        KernelParameterMetadata(name=name, schema_data=schema, is_required=name in input_schema.get("required", []))
        for name, schema in input_schema["properties"].items()
    ])


def blocks(message):
    text = "".join(item.text for item in message.items if isinstance(item, TextContent))
    return ([{"type": "text", "text": text}] if text else []) + [
        {"type": "tool_use", "id": item.id, "name": item.name, "input": item.parse_arguments() or {}}
        for item in message.items if isinstance(item, FunctionCallContent)
    ]


program.run(Conversation)
