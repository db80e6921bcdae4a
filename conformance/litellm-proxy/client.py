"""Holds conversations through LiteLLM's proxy, with the package of Anthropic or of OpenAI as its client: see program.go.
The arguments are the package and the provider."""

import atexit
import json
import os
import secrets
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

import anthropic
import openai
from openai.lib.streaming.chat import ChatCompletionStreamState

import completions
import program

KEY = "sk-" + secrets.token_hex(32)  # the proxy's own

# What the proxy asks. Where, and with which key, each request says.
MODELS = {
    "messages": {"model": "anthropic/*"},
    "converse": {
        "model": "bedrock/converse/*", "aws_region_name": "us-east-1", "aws_secret_access_key": "none",
        "allowed_openai_params": ["tools", "tool_choice"],  # what it cannot know by the model's name
    },
}
WHERE = {
    "messages": lambda url, key: {"api_base": url, "api_key": key},
    "converse": lambda url, key: {"aws_bedrock_runtime_endpoint": url, "aws_access_key_id": key},
}


def serve():
    """Starts the proxy, which ends with this program, and returns its URL."""
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    config = os.path.join(folder.name, "config.json")
    with open(config, "w") as file:
        json.dump({
            "model_list": [{"model_name": "*", "litellm_params": MODELS[sys.argv[2]]}],
            "general_settings": {"allow_client_side_credentials": True},
            "router_settings": {"num_retries": 0, "disable_cooldowns": True},
        }, file)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    fetched = ("ANTHROPIC_BETA_HEADERS", "AUTOROUTER_PRESETS", "BLOG_POSTS", "MODEL_COST_MAP", "POLICY_TEMPLATES")
    proxy = subprocess.Popen(
        [sys.executable, "-m", "litellm.proxy.proxy_cli", "--config", config, "--host", "127.0.0.1", "--port", str(port)],
        env={**os.environ, "LITELLM_MASTER_KEY": KEY, **{"LITELLM_LOCAL_" + name: "True" for name in fetched}},
        stdin=subprocess.DEVNULL, stdout=sys.stderr,
    )
    atexit.register(proxy.kill)
    url = f"http://127.0.0.1:{port}"
    while proxy.poll() is None:
        try:
            urllib.request.urlopen(url + "/health/liveliness").close()
            return url
        except OSError:
            time.sleep(0.1)
    raise SystemExit("the proxy has ended")


class AnthropicConversation:
    def __init__(self, base_url, key, setup):
        self.client = anthropic.AsyncAnthropic(base_url=URL, api_key=KEY, max_retries=0)
        self.request = {**setup, "extra_body": WHERE[sys.argv[2]](base_url, key)}
        self.messages = []

    async def turn(self, content, stream, leave):
        self.messages.append({"role": "user", "content": content})
        if not stream:
            message = await self.client.messages.create(**self.request, messages=self.messages)
        else:
            async with self.client.messages.stream(**self.request, messages=self.messages) as events:
                async for event in events:
                    if leave and event.type == "text":
                        return {"content": [{"type": "text", "text": event.text}]}, []
                message = await events.get_final_message()
        self.messages.append({"role": message.role, "content": message.content})
        return message.model_dump(mode="json"), []

    def failure(self, e):
        if isinstance(e, anthropic.APIStatusError):
            return {"status": e.status_code, "body": e.body, "request_id": e.request_id}


class OpenAIConversation:
    def __init__(self, base_url, key, setup):
        self.client = openai.AsyncOpenAI(base_url=URL, api_key=KEY, max_retries=0)
        self.request = {
            "model": setup["model"], **completions.request(setup), "extra_body": WHERE[sys.argv[2]](base_url, key),
        }
        self.messages = completions.begin(setup)

    async def turn(self, content, stream, leave):
        self.messages += completions.said(content)
        answer = await self.client.chat.completions.create(**self.request, messages=self.messages, stream=stream)
        if stream:
            whole = ChatCompletionStreamState()
            async for chunk in answer:
                whole.handle_chunk(chunk)
                if leave and (said := chunk.choices[0].delta.content):
                    await answer.close()
                    return {"content": [{"type": "text", "text": said}]}, []
            answer = whole.current_completion_snapshot
        [answered] = answer.choices
        self.messages.append(answered.message.model_dump(include={"role", "content", "tool_calls"}, exclude_none=True))
        return completions.answer(answered), []

    def failure(self, e):
        """The proxy tells of it in words of its own."""


URL = serve()
program.run({"Anthropic": AnthropicConversation, "OpenAI": OpenAIConversation}[sys.argv[1]])
