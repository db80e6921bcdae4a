"""Holds conversations through the Claude model of agno: see program.go."""

import json
import sys

import anthropic
from agno.agent import Agent
from agno.models.anthropic import Claude
from agno.models.message import Message
from agno.tools import Function
from agno.utils import log

import program

log.logger.handlers[0].setStream(sys.stderr)  # else it logs where the verdicts are written


class Conversation:
    def __init__(self, base_url, key, setup):
        choice = {"tool_choice": setup["tool_choice"]} if "tool_choice" in setup else None
        self.model = Claude(
            id=setup["model"], api_key=key, client_params={"base_url": base_url, "max_retries": 0},
            max_tokens=setup["max_tokens"], stop_sequences=setup.get("stop_sequences"),
            request_params=choice,  # the library's own tool_choice is not sent
        )
        self.tools = setup.get("tools", [])
        self.messages = [Message(role="system", content=setup["system"])] if "system" in setup else []

    async def turn(self, content, stream, leave):
        """The library runs tools by itself, unless they are said to be run elsewhere."""
        self.messages += [message(part) for part in content]
        tools = [Function(**function(**t), external_execution=True) for t in self.tools]
        if stream:
            text = ""
            pieces = self.model.aresponse_stream(self.messages, tools=tools)
            async for piece in pieces:
                text += piece.content or ""
                if leave and text:
                    await pieces.aclose()
                    return {"content": [{"type": "text", "text": text}]}, []
        else:
            await self.model.aresponse(self.messages, tools=tools)
        answer = blocks(self.messages[-1])
        called = any(block["type"] == "tool_use" for block in answer)
        return {"content": answer, "stop_reason": "tool_use" if called else "end_turn"}, []  # it tells none

    async def run(self, content, ran):
        tools = [Function(**function(**t), entrypoint=told(ran, t["name"])) for t in self.tools]
        agent = Agent(model=self.model, tools=tools, telemetry=False)
        async for _ in agent.arun(content[0]["text"], stream=True):
            pass

    def failure(self, e):
        """The library has errors of its own, raised while it handles that of the server; some are their own cause."""
        while e and not isinstance(e, anthropic.APIStatusError):
            e = e.__context__
        if e:
            return {"status": e.status_code, "body": e.body, "request_id": e.request_id}


def function(name, description, input_schema):
    return {
        "name": name, "description": description, "parameters": input_schema, "skip_entrypoint_processing": True,
    }


def told(ran, name):
    """What a tool does: it tells what it is run with."""

    def run(**input):
        ran(name, input)
        return "stored"

    return run


def message(part):
    if part["type"] == "text":
        return Message(role="user", content=part["text"])
    return Message(role="tool", tool_call_id=part["tool_use_id"], content=part["content"])


def blocks(message):
    text = [{"type": "text", "text": message.content}] if message.content else []
    return text + [
        {"type": "tool_use", "id": call["id"], "name": call["function"]["name"],
         "input": json.loads(call["function"]["arguments"])}
        for call in message.tool_calls or []
    ]


program.run(Conversation)
