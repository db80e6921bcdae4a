"""Holds conversations through the models of strands: see program.go. The argument is the provider."""

import base64
import sys
import threading

import anthropic
import boto3
from botocore.config import Config
from botocore.exceptions import ClientError
from strands import Agent
from strands.event_loop.streaming import stream_messages
from strands.models.anthropic import AnthropicModel
from strands.models.bedrock import BedrockModel
from strands.tools import PythonAgentTool

import program


def open_anthropic(base_url, key, setup):
    params = {name: setup[name] for name in ("stop_sequences",) if name in setup}
    return AnthropicModel(
        client_args={"base_url": base_url, "api_key": key, "max_retries": 0},
        model_id=setup["model"], max_tokens=setup["max_tokens"], params=params,
    )


def open_converse(base_url, key, setup):
    return BedrockModel(
        boto_session=boto3.Session(aws_access_key_id=key, aws_secret_access_key="none", region_name="us-east-1"),
        boto_client_config=Config(retries={"total_max_attempts": 1}), endpoint_url=base_url,
        model_id=setup["model"], max_tokens=setup["max_tokens"], stop_sequences=setup.get("stop_sequences"),
        include_tool_result_status=True,  # what the library cannot know by the model's name
    )


OPEN = {"anthropic": open_anthropic, "converse": open_converse}


class Conversation:
    def __init__(self, base_url, key, setup):
        self.model = OPEN[sys.argv[1]](base_url, key, setup)
        self.tools = [tool(**t) for t in setup.get("tools", [])]
        self.system = setup.get("system")
        self.choice = choice(**setup["tool_choice"]) if "tool_choice" in setup else None
        self.messages = []

    async def turn(self, content, stream, leave):
        self.messages.append({"role": "user", "content": [block(part) for part in content]})
        if sys.argv[1] == "converse":
            self.model.update_config(streaming=stream)
        said, left = "", threading.Event()
        events = stream_messages(
            self.model, self.system, self.messages, self.tools, tool_choice=self.choice, cancel_signal=left,
        )
        async for event in events:
            said += event.get("data", "")
            if leave and said:
                left.set()
                await events.aclose()
                return {"content": [{"type": "text", "text": said}]}, []
            if "stop" in event:
                stop_reason, message, _, _ = event["stop"]
        self.messages.append(message)
        return {"content": [given(b) for b in message["content"]], "stop_reason": stop_reason}, []

    async def run(self, content, ran):
        tools = [runnable(ran, t) for t in self.tools]
        agent = Agent(model=self.model, tools=tools, callback_handler=None, retry_strategy=None)
        async for _ in agent.stream_async(content[0]["text"]):
            pass

    def failure(self, e):
        for e in (e, e.__cause__):  # that it is throttled, or that the prompt is too long, has a name of its own
            if isinstance(e, anthropic.APIStatusError):
                return {"status": e.status_code, "body": e.body, "request_id": e.request_id}
            if isinstance(e, ClientError):
                told = e.response.get("ResponseMetadata", {})
                body = {"__type": e.response["Error"]["Code"], "message": e.response["Error"]["Message"]}
                return {"status": told.get("HTTPStatusCode", 0), "body": body, "request_id": told.get("RequestId")}


def choice(type, name=None):
    return {type: {"name": name} if name else {}}


def tool(name, description, input_schema):
    return {"name": name, "description": description, "inputSchema": {"json": input_schema}}


def runnable(ran, spec):
    """A tool that tells what it is run with."""

    def told(tool_use, **_):
        ran(tool_use["name"], tool_use["input"])
        return {"toolUseId": tool_use["toolUseId"], "status": "success", "content": [{"text": "stored"}]}

    return PythonAgentTool(spec["name"], spec, told)


def block(part):
    if part["type"] == "image":
        return {"image": {"format": "png", "source": {"bytes": base64.b64decode(part["source"]["data"])}}}
    if part["type"] == "text":
        return {"text": part["text"]}
    return {"toolResult": {
        "toolUseId": part["tool_use_id"], "content": [block(p) for p in part["content"]],
        "status": "error" if part.get("is_error") else "success",
    }}


def given(b):
    if call := b.get("toolUse"):
        return {"type": "tool_use", "id": call["toolUseId"], "name": call["name"], "input": call["input"]}
    return {"type": "text", "text": b["text"]}


program.run(Conversation)
