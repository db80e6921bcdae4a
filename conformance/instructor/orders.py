"""Asks for orders through instructor, of the model that instructor_test.go plays, and checks them."""

import asyncio
import sys
from enum import Enum

import instructor
from anthropic import AsyncAnthropic
from instructor.core import IncompleteOutputException, InstructorRetryException
from pydantic import BaseModel, Field


class Priority(Enum):
    low = "low"
    high = "high"


class Item(BaseModel):
    name: str
    count: int = Field(gt=0)
    tags: list[str]


class Order(BaseModel):
    """What somebody buys."""

    customer: str
    priority: Priority
    paid: bool
    price: float
    code: str
    items: list[Item]
    note: str | None = None


ORDER = Order(
    customer='Åsa 晴れ 😀 <b>&amp; "Co"</b>',
    priority=Priority.high,
    paid=True,
    price=12.5,
    code="007",
    items=[Item(name="tea", count=2, tags=["hot", "<green>"]), Item(name="Käse", count=1, tags=[])],
)


def check(got, want):
    """What the library makes is of a type of its own."""
    assert got.model_dump() == want.model_dump(), got


async def main():
    client = instructor.from_anthropic(
        AsyncAnthropic(base_url=sys.argv[1], api_key="none", max_retries=0), mode=instructor.Mode.ANTHROPIC_TOOLS
    )
    request = {"model": "claude-2.1", "max_tokens": 500, "messages": [{"role": "user", "content": "What is ordered?"}]}

    # Each of these asks anew.
    def asked():
        return {**request, "messages": list(request["messages"])}

    order = await client.create(response_model=Order, **asked())
    check(order, ORDER)

    # Strictly, the text that streams in would be no Priority.
    partials = [p async for p in client.create_partial(response_model=Order, strict=False, **asked())]
    check(partials[-1], ORDER)
    customers = [p.customer for p in partials if p.customer]
    assert all(ORDER.customer.startswith(c) for c in customers), customers
    assert any(p.customer == ORDER.customer and not p.items for p in partials), "it came all at once"

    items = [item async for item in client.create_iterable(response_model=Item, **asked())]
    assert len(items) == 2, items
    check(items[0], ORDER.items[0])
    check(items[1], ORDER.items[1])

    # The model is told what is wrong, and asked once more.
    check(await client.create(response_model=Item, max_retries=1, **asked()), ORDER.items[0])

    try:
        await client.create(response_model=Item, max_retries=0, **asked())
    except InstructorRetryException as e:
        assert "greater than 0" in str(e), e
    else:
        raise AssertionError("an item of which there is none was taken")

    # What was cut is no item, and in part it has no half name: values are sent when they are whole.
    try:
        await client.create(response_model=Item, max_retries=0, **asked())
    except IncompleteOutputException:
        pass
    else:
        raise AssertionError("an item that was cut was taken")
    items = [item async for item in client.create_iterable(response_model=Item, **asked())]
    assert not items, items
    partials = [p async for p in client.create_partial(response_model=Item, strict=False, **asked())]
    assert partials[-1].count == 2, partials
    assert not any(p.name for p in partials), partials


asyncio.run(main())
