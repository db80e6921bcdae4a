"""Holds conversations through the Claude models of google-adk: see program.go. The argument is the API."""

import base64
import sys

import anthropic
from google.adk.agents import LlmAgent
from google.adk.agents.run_config import RunConfig, StreamingMode
from google.adk.models.anthropic_llm import AnthropicLlm, Claude
from google.adk.models.llm_request import LlmRequest
from google.adk.runners import InMemoryRunner
from google.adk.tools import BaseTool
from google.genai import types

import program


def open_messages(model, base_url, key):
    return AnthropicLlm(model=model, client=anthropic.AsyncAnthropic(base_url=base_url, api_key=key, max_retries=0))


def open_vertex(model, base_url, key):
    return Claude(model=model, client=anthropic.AsyncAnthropicVertex(
        base_url=base_url + "/v1", access_token=key, project_id="my-project", region="us-east5", max_retries=0
    ))


OPEN = {"messages": open_messages, "vertex": open_vertex}
STOP_REASONS = {types.FinishReason.STOP: "end_turn", types.FinishReason.MAX_TOKENS: "max_tokens"}


class Conversation:
    def __init__(self, base_url, key, setup):
        self.model = OPEN[sys.argv[1]](setup["model"], base_url, key)
        self.limits = {"max_output_tokens": setup["max_tokens"], "stop_sequences": setup.get("stop_sequences")}
        self.system = setup.get("system")
        self.tools = setup.get("tools", [])
        self.contents = []
        self.names = {}

    async def turn(self, content, stream, leave):
        self.contents.append(types.Content(role="user", parts=[self.part(p) for p in content]))
        request = LlmRequest(
            model=self.model.model, contents=self.contents,
            config=types.GenerateContentConfig(system_instruction=self.system, **self.limits),
        )
        request.append_tools([Told(t) for t in self.tools])
        said = ""
        responses = self.model.generate_content_async(request, stream)
        async for response in responses:
            said += "".join(part.text or "" for part in response.content.parts)
            if leave and said:
                await responses.aclose()
                return {"content": [{"type": "text", "text": said}]}, []
        self.contents.append(response.content)
        calls = [part.function_call for part in response.content.parts if part.function_call]
        self.names = {call.id: call.name for call in calls}
        reason = STOP_REASONS[response.finish_reason]
        return {
            "content": [block(part) for part in response.content.parts],
            "stop_reason": "tool_use" if calls and reason == "end_turn" else reason,
        }, []

    async def run(self, content, ran):
        agent = LlmAgent(
            name="agent", model=self.model, tools=[Told(t, ran) for t in self.tools],
            generate_content_config=types.GenerateContentConfig(**self.limits),
        )
        runner = InMemoryRunner(agent=agent, app_name="app")
        session = await runner.session_service.create_session(app_name="app", user_id="user")
        async for _ in runner.run_async(
            user_id="user", session_id=session.id, run_config=RunConfig(streaming_mode=StreamingMode.SSE),
            new_message=types.Content(role="user", parts=[self.part(p) for p in content]),
        ):
            pass

    def part(self, part):
        """That a result is an error cannot be told."""
        if part["type"] == "text":
            return types.Part.from_text(text=part["text"])
        text = "".join(p["text"] for p in part["content"] if p["type"] == "text")
        return types.Part(function_response=types.FunctionResponse(
            id=part["tool_use_id"], name=self.names[part["tool_use_id"]], response={"result": text},
            parts=[image(**p["source"]) for p in part["content"] if p["type"] == "image"] or None,
        ))

    def failure(self, e):
        if isinstance(e, anthropic.APIStatusError):
            return {"status": e.status_code, "body": e.body, "request_id": e.request_id}


class Told(BaseTool):
    """A tool that tells what it is run with."""

    def __init__(self, tool, ran=None):
        super().__init__(name=tool["name"], description=tool["description"])
        self.schema, self.ran = tool["input_schema"], ran

    def _get_declaration(self):
        return types.FunctionDeclaration(name=self.name, description=self.description, parameters_json_schema=self.schema)

    async def run_async(self, *, args, tool_context):
        self.ran(self.name, args)
        return "stored"


def image(type, media_type, data):
    return types.FunctionResponsePart(
        inline_data=types.FunctionResponseBlob(mime_type=media_type, data=base64.b64decode(data))
    )


def block(part):
    if call := part.function_call:
        return {"type": "tool_use", "id": call.id, "name": call.name, "input": call.args}
    return {"type": "text", "text": part.text}


program.run(Conversation)
