"""Holds conversations through the openai package: see program.go."""

import sys

import openai

import completions
import openai_failure
import program


RETRIES = {} if "retries" in sys.argv else {"max_retries": 0}


class Conversation:
    def __init__(self, base_url, key, setup):
        self.client = openai.AsyncOpenAI(base_url=base_url + "/v1", api_key=key, **RETRIES)
        self.request = {"model": setup["model"], **completions.request(setup)}
        self.messages = completions.begin(setup)
        self.request_id = None

    async def turn(self, content, stream, leave):
        self.messages += completions.said(content)
        create = self.stream(leave) if stream else self.client.chat.completions.create(**self.request, messages=self.messages)
        completion = await create
        self.messages.append(completion.choices[0].message)
        return {"model": completion.model, **completions.answer(completion.choices[0])}, []

    async def stream(self, leave):
        self.request_id = None
        async with self.client.chat.completions.stream(**self.request, messages=self.messages) as stream:
            self.request_id = stream._response.headers["x-request-id"]
            async for event in stream:
                if leave and event.type == "content.delta" and event.delta:
                    stream.current_completion_snapshot.choices[0].finish_reason = "stop"
                    break
            return stream.current_completion_snapshot  # the final completion is an error if the token limit cut it

    def failure(self, e):
        return {"request_id": self.request_id, **told} if (told := openai_failure.told(e)) else None


program.run(Conversation)
