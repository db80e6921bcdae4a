"""Holds conversations through the chat models of langchain: see program.go. The argument is the model, or deepagents,
whose agents ask that of Anthropic."""

import sys

import anthropic
from langchain.agents import create_agent
from langchain_anthropic import ChatAnthropic
from langchain_core.messages import HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import StructuredTool

import completions
import program


def open_anthropic(base_url, key, limits):
    return ChatAnthropic(base_url=base_url, api_key=key, max_retries=0, **limits)


def open_bedrock(base_url, key, limits):
    from langchain_aws import ChatBedrockConverse

    return ChatBedrockConverse(
        endpoint_url=base_url, region_name="us-east-1", aws_access_key_id=key, aws_secret_access_key="none",
        provider="anthropic", disable_streaming=False, max_retries=0,
        additional_model_response_field_paths=["/stop_sequence"], **limits,
    )


def open_vertex(base_url, key, limits):
    from langchain_google_vertexai.model_garden import ChatAnthropicVertex

    return ChatAnthropicVertex(
        api_endpoint=base_url + "/v1", project="my-project", location="us-east5", access_token=key, max_retries=0, **limits
    )


def open_openai(base_url, key, limits):
    from langchain_openai import ChatOpenAI

    return ChatOpenAI(base_url=base_url + "/v1", api_key=key, max_retries=0, **limits)


OPEN = {
    "anthropic": open_anthropic, "bedrock": open_bedrock, "vertex": open_vertex, "deepagents": open_anthropic,
    "openai": open_openai,
}


def make_agent(model, tools):
    if sys.argv[1] == "deepagents":
        from deepagents import create_deep_agent

        return create_deep_agent(model, tools)
    return create_agent(model, tools)


class Conversation:
    def __init__(self, base_url, key, setup):
        limits = {name: setup[name] for name in ("model", "max_tokens")}
        self.plain = self.model = OPEN[sys.argv[1]](base_url, key, limits)
        self.tools = setup.get("tools", [])
        if "tools" in setup:
            # Of an ARN the library does not know whether its model takes a choice, and refuses to send one.
            wanted = {"tool_choice": choice(**setup["tool_choice"])} if "tool_choice" in setup else {}
            self.model = self.model.bind_tools(setup["tools"], **wanted)
        self.model = self.model.bind(stop=setup.get("stop_sequences"))
        self.messages = [SystemMessage(setup["system"])] if "system" in setup else []

    async def turn(self, content, stream, leave):
        results = [part for part in content if part["type"] == "tool_result"]
        self.messages += [tool_message(**part) for part in results]
        if said := [part for part in content if part not in results]:
            self.messages.append(HumanMessage(blocks(said)))
        message = await (self.stream(leave) if stream else self.model.ainvoke(self.messages))
        self.messages.append(message)
        return answer(message), []

    async def stream(self, leave):
        message = None
        chunks = self.model.astream(self.messages)
        async for chunk in chunks:
            message = chunk if message is None else message + chunk
            if leave and chunk.text:
                await chunks.aclose()
                break
        return message

    async def run(self, content, ran):
        agent = make_agent(self.plain, [runnable(ran, **tool) for tool in self.tools])
        async for _ in agent.astream({"messages": [HumanMessage(blocks(content))]}, stream_mode="messages"):
            pass

    def failure(self, e):
        if isinstance(e, anthropic.APIStatusError):
            return {"status": e.status_code, "body": e.body, "request_id": e.request_id}
        if hasattr(e, "operation_name"):  # of boto3
            told = e.response.get("ResponseMetadata", {})
            body = {"__type": e.response["Error"]["Code"], "message": e.response["Error"]["Message"]}
            return {"status": told.get("HTTPStatusCode"), "body": body, "request_id": told.get("RequestId")}
        if sys.argv[1] == "openai":
            import openai_failure

            return openai_failure.told(e)


def runnable(ran, name, description, input_schema, **extras):
    """A tool that tells what it is run with."""

    async def told(**input):
        ran(name, input)
        return "stored"

    return StructuredTool(name=name, description=description, args_schema=input_schema, coroutine=told, extras=extras)


def choice(type, name=None):
    """A tool is chosen by its name; that none may be called has no word of langchain's."""
    none = "none" if sys.argv[1] == "openai" else {"type": "none"}
    return {"tool": name, "none": none}.get(type, type)


def tool_message(type, tool_use_id, content, is_error=False):
    return ToolMessage(blocks(content), tool_call_id=tool_use_id, status="error" if is_error else "success")


def blocks(parts):
    return [
        {"type": "image", "base64": part["source"]["data"], "mime_type": part["source"]["media_type"]}
        if part["type"] == "image" else part
        for part in parts
    ]


def answer(message):
    told = message.response_metadata
    extra = told.get("additionalModelResponseFields") or told
    return {
        # On Vertex, calls come a second time, as blocks that are not standard.
        "content": [block(b) for b in message.content_blocks if b["type"] != "non_standard"],
        "stop_reason": told.get("stop_reason") or told.get("stopReason") or completions.STOP_REASONS.get(told.get("finish_reason"), ""),
        "stop_sequence": extra.get("stop_sequence") or "",
    }


def block(b):
    if b["type"] == "tool_call":
        return {"type": "tool_use", "id": b["id"], "name": b["name"], "input": b["args"]}
    if b["type"] == "invalid_tool_call":
        raise ValueError(b["error"])
    return b


program.run(Conversation)
