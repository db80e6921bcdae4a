"""Holds conversations through the models of openai-agents: see program.go. The argument is the provider."""

import contextlib
import json
import os
import sys

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # it would be fetched

import openai
from agents import Agent, FunctionTool, ModelSettings, OpenAIChatCompletionsModel, Runner, set_tracing_disabled
from agents.items import ModelResponse
from agents.models.interface import ModelTracing
from agents.usage import Usage

import openai_failure
import program

set_tracing_disabled(True)


def litellm_model(*args, **options):
    import litellm  # takes long
    from agents.extensions.models.litellm_model import LitellmModel

    litellm.suppress_debug_info = True
    return LitellmModel(*args, **options)


def open_anthropic(model, base_url, key):
    return litellm_model("anthropic/" + model, base_url=base_url, api_key=key), {"max_retries": 0}


def open_converse(model, base_url, key):
    return litellm_model("bedrock/converse/" + model), {
        "aws_bedrock_runtime_endpoint": base_url, "aws_region_name": "us-east-1",
        "aws_access_key_id": key, "aws_secret_access_key": "none",
        "allowed_openai_params": ["tools", "tool_choice"],  # what the library cannot know by the model's name
        "max_retries": 0,
    }


def open_chat(model, base_url, key):
    client = openai.AsyncOpenAI(base_url=base_url + "/v1", api_key=key, max_retries=0)
    return OpenAIChatCompletionsModel(model, client), {}


OPEN = {"anthropic": open_anthropic, "converse": open_converse, "chat": open_chat}


class Conversation:
    def __init__(self, base_url, key, setup):
        self.model, extra = OPEN[sys.argv[1]](setup["model"], base_url, key)
        if "stop_sequences" in setup:
            extra["stop"] = setup["stop_sequences"]
        self.settings = ModelSettings(
            max_tokens=setup["max_tokens"], extra_args=extra,
            tool_choice=choice(**setup["tool_choice"]) if "tool_choice" in setup else None,
        )
        self.system = setup.get("system")
        self.tools = setup.get("tools", [])
        self.items = []

    async def turn(self, content, stream, leave):
        results = [part for part in content if part["type"] == "tool_result"]
        self.items += [
            {"type": "function_call_output", "call_id": part["tool_use_id"], "output": parts(part["content"])} for part in results
        ]
        if said := [part for part in content if part not in results]:
            self.items.append({"role": "user", "content": parts(said)})
        request = {
            "system_instructions": self.system, "input": self.items, "model_settings": self.settings,
            "tools": [runnable(None, **t) for t in self.tools], "output_schema": None, "handoffs": [],
            "tracing": ModelTracing.DISABLED, "previous_response_id": None, "conversation_id": None, "prompt": None,
        }
        if not stream:
            return self.answered(await self.model.get_response(**request))
        async with contextlib.aclosing(self.model.stream_response(**request)) as events:
            async for event in events:
                if leave and event.type == "response.output_text.delta":
                    return {"content": [{"type": "text", "text": event.delta}]}, []
        return self.answered(ModelResponse(output=event.response.output, usage=Usage(), response_id=None))

    def answered(self, response):
        """The library does not tell why an answer has ended."""
        self.items += response.to_input_items()
        content = [block for item in response.output for block in blocks(item)]
        return {"content": content, "stop_reason": "tool_use" if "id" in content[-1] else "end_turn"}, []

    async def run(self, content, ran):
        agent = Agent(
            name="agent", model=self.model, model_settings=self.settings, tools=[runnable(ran, **t) for t in self.tools],
        )
        async for _ in Runner.run_streamed(agent, content[0]["text"]).stream_events():
            pass

    def failure(self, e):
        if sys.argv[1] == "chat":
            return openai_failure.told(e)
        import litellm_failure

        return litellm_failure.told(e)


def choice(type, name=None):
    return {"any": "required", "tool": name}.get(type, type)


def runnable(ran, name, description, input_schema):
    """A tool that tells what it is run with."""

    async def told(context, arguments):
        ran(name, json.loads(arguments))
        return "stored"

    return FunctionTool(
        name=name, description=description, params_json_schema=input_schema, on_invoke_tool=told, strict_json_schema=False,
    )


def parts(content):
    return [
        {"type": "input_image", "image_url": f"data:{part['source']['media_type']};base64,{part['source']['data']}"}
        if part["type"] == "image" else {"type": "input_text", "text": part["text"]}
        for part in content
    ]


def blocks(item):
    if item.type == "function_call":
        return [{"type": "tool_use", "id": item.call_id, "name": item.name, "input": json.loads(item.arguments)}]
    return [{"type": "text", "text": part.text} for part in item.content]


program.run(Conversation)
