"""Has the openai package parse answers into types, of the model that openai_test.go plays, and checks them."""

import asyncio
import sys
from typing import Literal

import openai
from pydantic import BaseModel


class Hour(BaseModel):
    hour: int
    degrees: float | None


class Report(BaseModel):
    city: str
    sky: Literal["clear", "cloudy"]
    hours: list[Hour]


class GetWeather(BaseModel):
    city: str


REPORT = Report(city="Åsgård <b> \"x\"", sky="clear", hours=[Hour(hour=9, degrees=-1.5), Hour(hour=12, degrees=None)])
TOOL = openai.pydantic_function_tool(GetWeather, name="get_weather")


async def whole(client, **request):
    return await client.chat.completions.parse(**request)


async def streamed(client, **request):
    async with client.chat.completions.stream(**request) as stream:
        return await stream.get_final_completion()


async def main(url):
    client = openai.AsyncOpenAI(base_url=url + "/v1", api_key="none", max_retries=0)
    request = {
        "model": "claude-2.1", "messages": [{"role": "user", "content": "What is the weather in Åsgård?"}],
        "response_format": Report, "tools": [TOOL],
    }
    for ask in whole, streamed:
        answer = (await ask(client, **request)).choices[0].message
        assert answer.parsed == REPORT, answer

        called = (await ask(client, **request)).choices[0].message  # the model says a word before the call
        assert called.parsed is None and called.tool_calls[0].function.parsed_arguments == GetWeather(city="Oslo"), called


asyncio.run(main(sys.argv[1]))
