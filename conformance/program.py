"""The loop of a program in Python: see program.go."""

import asyncio
import json
import sys


def run(conversation):
    """Takes turns until there are no more requests.

    conversation(base_url, key, setup) begins one. Its turn(content, stream, leave) is a coroutine that
    returns the message, and the types of the stream's events. Its run(content, ran), if the library runs tools, is
    one that has it do so; ran(name, input) is to be called by each tool. Its failure(error) returns what the
    server told of the library's error: status, body and request_id; None if it is not the server's.
    """
    asyncio.run(take_turns(conversation))


async def take_turns(begin):
    conversation, turn = None, None
    while line := await asyncio.to_thread(sys.stdin.readline):
        request = json.loads(line)
        if "setup" in request:
            conversation = begin(request["base_url"], request.get("key", "none"), request["setup"])
        elif "abort" in request:
            turn.cancel()
        else:
            turn = asyncio.create_task(take_turn(conversation, request))


async def take_turn(conversation, request):
    print(json.dumps(await verdict(conversation, **request)), flush=True)


async def verdict(conversation, content, stream=False, leave=False, run=False):
    message, events = {"content": []}, []
    try:
        if run:
            await conversation.run(content, lambda name, input: message["content"].append({"name": name, "input": input}))
        else:
            message, events = await conversation.turn(content, stream, leave)
        return {"message": message, "events": events}
    except asyncio.CancelledError:
        return {"error": "aborted"}
    except Exception as e:
        if told := conversation.failure(e):
            return {"failure": told}
        return {"message": message, "error": repr(e)}
