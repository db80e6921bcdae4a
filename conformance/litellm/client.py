"""Holds conversations through the litellm package: see program.go. The argument is the provider."""

import os
import sys

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # it would be fetched

import litellm

import completions
import litellm_failure
import program

litellm.suppress_debug_info = True


def to_anthropic(model, base_url, key):
    return {"model": "anthropic/" + model, "api_base": base_url, "api_key": key}


def to_converse(model, base_url, key):
    return {
        "model": "bedrock/converse/" + model, "aws_bedrock_runtime_endpoint": base_url, "aws_region_name": "us-east-1",
        "aws_access_key_id": key, "aws_secret_access_key": "none",
        "allowed_openai_params": ["tools", "tool_choice"],  # what the library cannot know by the model's name
    }


TO = {"anthropic": to_anthropic, "converse": to_converse}


class Conversation:
    def __init__(self, base_url, key, setup):
        self.request = {**TO[sys.argv[1]](setup["model"], base_url, key), **completions.request(setup), "max_retries": 0}
        self.messages = completions.begin(setup)

    async def turn(self, content, stream, leave):
        self.messages += completions.said(content)
        response = await litellm.acompletion(messages=self.messages, stream=stream, **self.request)
        if stream:
            chunks = []
            async for chunk in response:
                chunks.append(chunk)
                if leave and chunk.choices[0].delta.content:
                    await response.aclose()
                    break
            response = litellm.stream_chunk_builder(chunks, messages=self.messages)
        answered = response.choices[0]
        self.messages.append(answered.message)
        return completions.answer(answered), []

    def failure(self, e):
        return litellm_failure.told(e)


program.run(Conversation)
