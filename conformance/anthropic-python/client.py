"""Holds conversations through one of the clients of the anthropic package: see program.go."""

import sys

import anthropic
from anthropic.lib.tools import BetaAsyncBuiltinFunctionTool

import program


RETRIES = {} if "retries" in sys.argv else {"max_retries": 0}

CLIENTS = {
    "messages": lambda url, key: anthropic.AsyncAnthropic(base_url=url, api_key=key, **RETRIES),
    # The library is told that what it is sent may be JSON that is cut, and mends it.
    "fine-grained": lambda url, key: anthropic.AsyncAnthropic(
        base_url=url, api_key=key, **RETRIES, default_headers={"anthropic-beta": "fine-grained-tool-streaming-2025-05-14"}
    ),
    "bedrock": lambda url, key: anthropic.AsyncAnthropicBedrock(
        base_url=url, aws_access_key=key, aws_secret_key="secret", aws_region="us-east-1", **RETRIES
    ),
    "vertex": lambda url, key: anthropic.AsyncAnthropicVertex(
        base_url=url + "/v1", access_token=key, project_id="my-project", region="us-east5", **RETRIES
    ),
}


class Conversation:
    def __init__(self, base_url, key, setup):
        self.client = CLIENTS[sys.argv[1]](base_url, key)
        self.setup = setup
        self.messages = []

    async def turn(self, content, stream, leave):
        self.messages.append({"role": "user", "content": content})
        events = []
        if stream:
            message = await self.stream(leave, events)
        else:
            message = await self.client.messages.create(**self.setup, messages=self.messages)
        self.messages.append({"role": message.role, "content": message.content})
        return message.model_dump(mode="json"), events

    async def stream(self, leave, events):
        async with self.client.messages.stream(**self.setup, messages=self.messages) as stream:
            async for event in stream:
                if event.type in HELPERS:
                    continue
                events.append(event.type)
                if leave and event.type == "content_block_delta":
                    return stream.current_message_snapshot
            return await stream.get_final_message()

    async def run(self, content, ran):
        setup = {**self.setup, "tools": [Told(tool, ran) for tool in self.setup["tools"]]}
        said = [{"role": "user", "content": content}]
        await self.client.beta.messages.tool_runner(**setup, messages=said, stream=True).until_done()

    def failure(self, e):
        if isinstance(e, anthropic.APIStatusError):
            return {"status": e.status_code, "body": e.body, "request_id": e.request_id}


class Told(BetaAsyncBuiltinFunctionTool):
    """A tool that tells what it is run with, whatever that is."""

    def __init__(self, tool, ran):
        self.tool, self.ran = tool, ran

    def to_dict(self):
        return self.tool

    async def call(self, input):
        self.ran(self.name, input)
        return "stored"


# What the library adds to the events of the server.
HELPERS = ("text", "thinking", "signature", "citation", "compaction", "input_json")


program.run(Conversation)
