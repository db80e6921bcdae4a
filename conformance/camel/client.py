"""Holds conversations through the Anthropic model of camel-ai: see program.go."""

import os

os.environ["CAMEL_LOGGING_DISABLED"] = "true"  # it would go to standard output

import anthropic
from camel.agents import ChatAgent
from camel.models import AnthropicModel
from camel.toolkits import FunctionTool
from camel.utils import BaseTokenCounter
from openai.lib.streaming.chat import ChatCompletionStreamState
from openai.types.chat import ChatCompletion, ChatCompletionChunk

import completions
import program


class Counter(BaseTokenCounter):
    """Counts nothing. The library's own has the server count calls as texts that are empty, which no API takes."""

    def count_tokens_from_messages(self, messages):
        return 0

    encode = decode = None


class Conversation:
    def __init__(self, base_url, key, setup):
        self.options = {name: setup[name] for name in ("max_tokens", "stop_sequences") if name in setup}
        self.open = lambda stream: AnthropicModel(
            setup["model"], {**self.options, "stream": stream}, api_key=key, url=base_url, max_retries=0, token_counter=Counter(),
        )
        self.tools = [completions.tool(**tool) for tool in setup.get("tools", [])]
        self.messages = completions.begin(setup)

    async def turn(self, content, stream, _):
        self.messages += [text_result(message) for message in completions.said(content)]
        response = await self.open(stream).arun(self.messages, tools=self.tools or None)
        answered = (await gather(response) if stream else ChatCompletion.model_validate(response.model_dump())).choices[0]
        self.messages.append({**answered.message.model_dump(exclude_none=True), "role": "assistant"})
        return completions.answer(answered), []

    async def run(self, content, ran):
        agent = ChatAgent(model=self.open(True), tools=[runnable(ran, tool) for tool in self.tools], stream_accumulate=False)
        async for _ in await agent.astep(content[0]["text"]):
            pass

    def failure(self, e):
        if isinstance(e, anthropic.APIStatusError):
            return {"status": e.status_code, "body": e.body, "request_id": e.request_id}


def text_result(message):
    """A tool's result is a text."""
    return {**message, "content": "".join(part["text"] for part in message["content"])} if message["role"] == "tool" else message


async def gather(chunks):
    """The completion of a stream, which the library leaves to its agents."""
    state = ChatCompletionStreamState()
    async for chunk in chunks:
        state.handle_chunk(ChatCompletionChunk.model_validate(chunk.model_dump(exclude_unset=True)))
    return state.current_completion_snapshot


def runnable(ran, tool):
    """A tool that tells what it is run with."""

    async def told(**input):
        ran(tool["function"]["name"], input)
        return "stored"

    return FunctionTool(told, openai_tool_schema=tool)


program.run(Conversation)
