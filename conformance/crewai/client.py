"""Holds conversations through the Anthropic model of crewai: see program.go."""

import asyncio
import json
import os

os.environ["CREWAI_DISABLE_TELEMETRY"] = "true"  # it would be sent to the library's makers
os.environ["CREWAI_TRACING_ENABLED"] = "false"

import anthropic
from crewai import LLM
from crewai.events import LLMCallCompletedEvent, LLMStreamChunkEvent, crewai_event_bus

import program


class Conversation:
    def __init__(self, base_url, key, setup):
        self.model = LLM(
            model=setup["model"], provider="anthropic", base_url=base_url, api_key=key, max_retries=0,
            max_tokens=setup["max_tokens"], stop=setup.get("stop_sequences", []),
        )
        self.tools = setup.get("tools", [])
        self.messages = [{"role": "system", "content": setup["system"]}] if "system" in setup else []

    async def turn(self, content, stream, leave):
        results = [part for part in content if part["type"] == "tool_result"]
        self.messages += [
            {"role": "tool", "tool_call_id": part["tool_use_id"], "content": parts(part["content"])} for part in results
        ]
        if said := [part for part in content if part not in results]:
            self.messages.append({"role": "user", "content": parts(said)})
        self.model.stream = stream
        text, ended = "", asyncio.get_running_loop().create_future()
        with crewai_event_bus.scoped_handlers():

            @crewai_event_bus.on(LLMStreamChunkEvent)
            def heard(source, event):
                nonlocal text
                text += event.chunk
                if leave and text:
                    asyncio.current_task().cancel()  # the library has no word for it

            @crewai_event_bus.on(LLMCallCompletedEvent)
            def completed(source, event):  # in another thread: only the event tells why the answer ended
                ended.get_loop().call_soon_threadsafe(ended.set_result, event.finish_reason)

            try:
                answer = await self.model.acall(self.messages, tools=[tool(**t) for t in self.tools] or None)
            except asyncio.CancelledError:
                if not leave:
                    raise
                asyncio.current_task().uncancel()
                return {"content": [{"type": "text", "text": text}]}, []
            stop_reason = await ended
        self.messages.append(message(answer))
        return {"content": blocks(answer), "stop_reason": stop_reason}, []

    def failure(self, e):
        """That a prompt is too long is an error of the library's own, which comes from that of the server."""
        for e in (e, e.__cause__):
            if isinstance(e, anthropic.APIStatusError):
                return {"status": e.status_code, "body": e.body, "request_id": e.request_id}


def tool(name, description, input_schema):
    return {"type": "function", "function": {"name": name, "description": description, "parameters": input_schema}}


def parts(content):
    return [
        {"type": "image_url", "image_url": {"url": f"data:{part['source']['media_type']};base64,{part['source']['data']}"}}
        if part["type"] == "image" else part
        for part in content
    ]


def message(answer):
    """The library answers with a text or with calls."""
    if isinstance(answer, str):
        return {"role": "assistant", "content": answer}
    return {"role": "assistant", "content": "", "tool_calls": [
        {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": json.dumps(call.input)}}
        for call in answer
    ]}


def blocks(answer):
    if isinstance(answer, str):
        return [{"type": "text", "text": answer}]
    return [{"type": "tool_use", "id": call.id, "name": call.name, "input": call.input} for call in answer]


program.run(Conversation)
