"""Holds conversations through llm and its plugin llm-anthropic: see program.go."""

import base64
import os
import tempfile

home = tempfile.TemporaryDirectory()
os.environ["LLM_USER_PATH"] = home.name  # where keys and lists of models are kept

import anthropic
import llm
from llm_anthropic import AsyncClaudeMessages, model_kwargs_from_info

import program


class Conversation:
    def __init__(self, base_url, key, setup):
        # A model that the library knows by the server's list alone.
        model = AsyncClaudeMessages(setup["model"], base_url=base_url, **model_kwargs_from_info({"id": setup["model"]}))
        self.conversation = model.conversation()
        self.request = {
            "key": key, "system": setup.get("system"),
            "options": {name: setup[name] for name in ("max_tokens", "stop_sequences") if name in setup},
        }
        self.tools = setup.get("tools", [])
        self.names = {}

    async def turn(self, content, stream, leave):
        response = self.conversation.prompt(
            tools=[runnable(None, **t) for t in self.tools], tool_results=[self.result(**p) for p in of(content, "tool_result")],
            **said(content), **self.request,
        )
        events = response.astream_events()
        async for event in events:
            if leave and event.type == "text":
                await events.aclose()
                return {"content": [{"type": "text", "text": event.chunk}]}, []
        calls = await response.tool_calls()
        self.names = {call.tool_call_id: call.name for call in calls}
        answer = await response.json()
        text = (await response.text()).removesuffix(" " if calls else "")  # which the library adds for terminals
        return {
            "content": ([{"type": "text", "text": text}] if text else []) + [block(call) for call in calls],
            "stop_reason": answer["stop_reason"], "stop_sequence": answer["stop_sequence"] or "",
        }, []

    async def run(self, content, ran):
        await self.conversation.chain(tools=[runnable(ran, **t) for t in self.tools], **said(content), **self.request).text()

    def result(self, type, tool_use_id, content, is_error=False):
        """What of it is an image is said by the user, as the library does for tools that it runs."""
        text = "".join(part["text"] for part in of(content, "text"))
        return llm.ToolResult(name=self.names[tool_use_id], tool_call_id=tool_use_id, output=text)

    def failure(self, e):
        if isinstance(e, anthropic.APIStatusError):
            return {"status": e.status_code, "body": e.body, "request_id": e.request_id}


def runnable(ran, name, description, input_schema):
    """A tool that tells what it is run with."""

    def told(**input):
        ran(name, input)
        return "stored"

    return llm.Tool(name=name, description=description, input_schema=input_schema, implementation=told)


def said(content):
    """What the user says, and all images of a turn."""
    images = [part for result in of(content, "tool_result") for part in of(result["content"], "image")]
    return {
        "prompt": "\n".join(part["text"] for part in of(content, "text")),
        "attachments": [
            llm.Attachment(type=i["source"]["media_type"], content=base64.b64decode(i["source"]["data"]))
            for i in images + of(content, "image")
        ],
    }


def of(content, type):
    return [part for part in content if part["type"] == type]


def block(call):
    return {"type": "tool_use", "id": call.tool_call_id, "name": call.name, "input": call.arguments}


program.run(Conversation)
