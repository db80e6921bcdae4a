"""Holds conversations through the models of pydantic-ai: see program.go. The argument is the provider."""

import base64
import sys

import boto3
from anthropic import AsyncAnthropic, AsyncAnthropicBedrock
from botocore.config import Config
from openai import AsyncOpenAI
from pydantic_ai import (
    Agent,
    BinaryContent,
    ModelRequest,
    ModelSettings,
    Tool,
    ToolCallPart,
    ToolDefinition,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.direct import model_request, model_request_stream
from pydantic_ai.exceptions import ModelHTTPError
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.bedrock import BedrockConverseModel
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.bedrock import BedrockModelProfile, BedrockProvider
from pydantic_ai.providers.openai import OpenAIProvider

import completions
import openai_failure
import program


def open_anthropic(name, base_url, key):
    client = AsyncAnthropic(base_url=base_url, api_key=key, max_retries=0)
    return AnthropicModel(name, provider=AnthropicProvider(anthropic_client=client))


def open_invoke(name, base_url, key):
    client = AsyncAnthropicBedrock(
        base_url=base_url, aws_region="us-east-1", aws_access_key=key, aws_secret_key="none", max_retries=0
    )
    return AnthropicModel(name, provider=AnthropicProvider(anthropic_client=client))


def open_converse(name, base_url, key):
    client = boto3.client(
        "bedrock-runtime", endpoint_url=base_url, region_name="us-east-1",
        aws_access_key_id=key, aws_secret_access_key="none", config=Config(retries={"total_max_attempts": 1}),
    )
    # What the library cannot know by the model's name.
    profile = BedrockModelProfile(bedrock_supports_tool_choice=True)
    return BedrockConverseModel(name, provider=BedrockProvider(bedrock_client=client), profile=profile)


def open_openai(name, base_url, key):
    client = AsyncOpenAI(base_url=base_url + "/v1", api_key=key, max_retries=0)
    return OpenAIChatModel(name, provider=OpenAIProvider(openai_client=client))


OPEN = {"anthropic": open_anthropic, "invoke": open_invoke, "converse": open_converse, "openai": open_openai}


class Conversation:
    def __init__(self, base_url, key, setup):
        self.model = OPEN[sys.argv[1]](setup["model"], base_url, key)
        self.settings = ModelSettings(max_tokens=setup["max_tokens"])
        if "stop_sequences" in setup:
            self.settings["stop_sequences"] = setup["stop_sequences"]
        if "tool_choice" in setup:
            self.settings["tool_choice"] = choice(**setup["tool_choice"])
        self.tools = setup.get("tools", [])
        self.parameters = ModelRequestParameters(function_tools=[tool(**t) for t in self.tools])
        self.instructions = setup.get("system")
        self.messages = []
        self.names = {}

    async def turn(self, content, stream, leave):
        self.messages.append(ModelRequest(self.parts(content), instructions=self.instructions))
        request = {"model_settings": self.settings, "model_request_parameters": self.parameters}
        if stream:
            response = await self.stream(leave, request)
        else:
            response = await model_request(self.model, self.messages, **request)
        self.messages.append(response)
        self.names = {call.tool_call_id: call.tool_name for call in response.tool_calls}
        return answer(response), []

    async def stream(self, leave, request):
        async with model_request_stream(self.model, self.messages, **request) as stream:
            async for _ in stream:
                if leave and stream.get().text:
                    break
            return stream.get()

    async def run(self, content, ran):
        tools = [runnable(ran, **t) for t in self.tools]
        async with Agent(self.model, tools=tools, model_settings=self.settings).iter(content[0]["text"]) as run:
            async for node in run:
                if Agent.is_model_request_node(node):
                    async with node.stream(run.ctx) as stream:
                        async for _ in stream:
                            pass

    def parts(self, content):
        """Results of tools, and what the user says."""
        results = [part for part in content if part["type"] == "tool_result"]
        said = [said_part(part) for part in content if part not in results]
        return [self.result(**part) for part in results] + ([UserPromptPart(said)] if said else [])

    def result(self, type, tool_use_id, content, is_error=False):
        told = [said_part(part) for part in content]
        return ToolReturnPart(
            tool_name=self.names[tool_use_id],
            tool_call_id=tool_use_id,
            content=told if len(told) > 1 else told[0],
            outcome="failed" if is_error else "success",
        )

    def failure(self, error):
        """A failure within a stream has no status of its own."""
        if sys.argv[1] == "openai":
            return openai_failure.told(error)
        if not isinstance(error, ModelHTTPError):
            return None
        headers = error.headers or {}
        body = error.body
        if "ResponseMetadata" in body or "Error" in body:  # of boto3
            body = {"__type": body["Error"]["Code"], "message": body["Error"]["Message"]}
        return {
            "status": 0 if error.in_stream else error.status_code,
            "body": body,
            "request_id": headers.get("request-id") or headers.get("x-amzn-requestid"),
        }


def choice(type, name=None):
    return {"any": "required", "tool": [name]}.get(type, type)


def tool(name, description, input_schema):
    return ToolDefinition(name=name, description=description, parameters_json_schema=input_schema)


def runnable(ran, name, description, input_schema):
    """A tool that tells what it is run with."""

    async def told(**input):
        ran(name, input)
        return "stored"

    return Tool.from_schema(told, name=name, description=description, json_schema=input_schema)


def said_part(part):
    if part["type"] == "image":
        source = part["source"]
        return BinaryContent(base64.b64decode(source["data"]), media_type=source["media_type"])
    return part["text"]


def answer(response):
    reason = (response.provider_details or {}).get("finish_reason")
    return {
        "model": response.model_name,
        "content": [block(part) for part in response.parts],
        "stop_reason": completions.STOP_REASONS.get(reason, reason),
    }


def block(part):
    if isinstance(part, ToolCallPart):
        return {"type": "tool_use", "id": part.tool_call_id, "name": part.tool_name, "input": part.args_as_dict(raise_if_invalid=True)}
    return {"type": "text", "text": part.content}


program.run(Conversation)
