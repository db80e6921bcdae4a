"""Holds conversations through boto3, with one of the operations of Bedrock: see program.go."""

import asyncio
import base64
import json
import sys

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

import program


def open_client(url, key):
    return boto3.client(
        "bedrock-runtime",
        endpoint_url=url,
        region_name="us-east-1",
        aws_access_key_id=key,
        aws_secret_access_key="secret",
        config=None if "retries" in sys.argv else Config(retries={"total_max_attempts": 1}),
    )


class Invoke:
    """InvokeModel with the body of the Messages API."""

    def __init__(self, client, setup):
        self.client = client
        self.model = setup.pop("model")
        self.body = {"anthropic_version": "bedrock-2023-05-31", **setup, "messages": []}

    def say(self, content):
        self.body["messages"].append({"role": "user", "content": content})
        return {"modelId": self.model, "body": json.dumps(self.body)}

    def heard(self, message):
        self.body["messages"].append({"role": "assistant", "content": message["content"]})

    def ask(self, params):
        return json.load(self.client.invoke_model(**params)["body"])

    def stream(self, params):
        response = self.client.invoke_model_with_response_stream(**params)
        return response, response["body"]

    def read(self, stream, answer):
        """Yields the type of each event, and the text that it brings."""
        partial = {}
        for event in stream:
            event = json.loads(event["chunk"]["bytes"])
            kind, text = event["type"], ""
            if kind == "message_start":
                answer.update(event["message"])
            elif kind == "content_block_start":
                answer["content"].append(event["content_block"])
            elif kind == "content_block_delta":
                block, delta = answer["content"][event["index"]], event["delta"]
                if delta["type"] == "text_delta":
                    text = delta["text"]
                    block["text"] += text
                else:
                    partial[event["index"]] = partial.get(event["index"], "") + delta["partial_json"]
            elif kind == "content_block_stop" and event["index"] in partial:
                answer["content"][event["index"]]["input"] = json.loads(partial[event["index"]])
            elif kind == "message_delta":
                answer.update(event["delta"])
            yield kind, text


class Converse:
    """Converse, from and to the terms of the Messages API."""

    def __init__(self, client, setup):
        self.client = client
        self.params = {"modelId": setup["model"], "messages": [], "inferenceConfig": {"maxTokens": setup["max_tokens"]}}
        self.params["additionalModelResponseFieldPaths"] = ["/stop_sequence"]
        if "system" in setup:
            self.params["system"] = [{"text": setup["system"]}]
        if "stop_sequences" in setup:
            self.params["inferenceConfig"]["stopSequences"] = setup["stop_sequences"]
        if "tools" in setup:
            self.params["toolConfig"] = {"tools": [self.tool(t) for t in setup["tools"]]}
        choice = setup.get("tool_choice", {})
        if choice:
            kind = choice.pop("type")
            self.params["toolConfig"]["toolChoice"] = {kind: choice}

    def tool(self, tool):
        spec = {"name": tool["name"], "description": tool["description"], "inputSchema": {"json": tool["input_schema"]}}
        return {"toolSpec": spec}

    def part(self, part):
        if part["type"] == "text":
            return {"text": part["text"]}
        if part["type"] == "image":
            return {"image": {"format": "png", "source": {"bytes": base64.b64decode(part["source"]["data"])}}}
        result = {"toolUseId": part["tool_use_id"], "content": [self.part(p) for p in part["content"]]}
        if part.get("is_error"):
            result["status"] = "error"
        return {"toolResult": result}

    def say(self, content):
        self.params["messages"].append({"role": "user", "content": [self.part(p) for p in content]})
        return self.params

    def heard(self, message):
        content = [
            {"text": b["text"]} if b["type"] == "text" else {"toolUse": {"toolUseId": b["id"], "name": b["name"], "input": b["input"]}}
            for b in message["content"]
        ]
        self.params["messages"].append({"role": "assistant", "content": content})

    def ask(self, params):
        response = self.client.converse(**params)
        message = {"content": [], **self.ending(response)}
        for block in response["output"]["message"]["content"]:
            if "text" in block:
                message["content"].append({"type": "text", "text": block["text"]})
            else:
                call = block["toolUse"]
                message["content"].append({"type": "tool_use", "id": call["toolUseId"], "name": call["name"], "input": call["input"]})
        return message

    def ending(self, told):
        extra = told.get("additionalModelResponseFields") or {}
        return {"stop_reason": told["stopReason"], "stop_sequence": extra.get("stop_sequence")}

    def stream(self, params):
        response = self.client.converse_stream(**params)
        return response, response["stream"]

    def read(self, stream, answer):
        answer["content"] = []
        for event in stream:
            [(kind, event)] = event.items()
            text = ""
            if kind == "contentBlockStart":
                call = event["start"]["toolUse"]
                answer["content"].append({"type": "tool_use", "id": call["toolUseId"], "name": call["name"], "input": ""})
            elif kind == "contentBlockDelta":
                index, delta = event["contentBlockIndex"], event["delta"]
                if index == len(answer["content"]):
                    answer["content"].append({"type": "text", "text": ""})
                if "text" in delta:
                    text = delta["text"]
                    answer["content"][index]["text"] += text
                else:
                    answer["content"][index]["input"] += delta["toolUse"]["input"]
            elif kind == "contentBlockStop":
                block = answer["content"][event["contentBlockIndex"]]
                if block["type"] == "tool_use":
                    block["input"] = json.loads(block["input"])
            elif kind == "messageStop":
                answer.update(self.ending(event))
            yield kind, text


class Conversation:
    def __init__(self, base_url, key, setup):
        self.operation = OPERATIONS[sys.argv[1]](open_client(base_url, key), setup)
        self.request_id = None  # of the stream

    async def turn(self, *request):
        """A call cannot be cancelled: it goes on in its thread."""
        return await asyncio.to_thread(self.take, *request)

    def take(self, content, stream, leave):
        params = self.operation.say(content)
        if not stream:
            message = self.operation.ask(params)
            self.operation.heard(message)
            return message, []
        response, frames = self.operation.stream(params)
        self.request_id = response["ResponseMetadata"]["RequestId"]
        message, events = {}, []
        for kind, text in self.operation.read(frames, message):
            events.append(kind)
            if leave and text:
                frames.close()
                return message, events
        self.operation.heard(message)
        return message, events

    def failure(self, e):
        if isinstance(e, ClientError):
            metadata = e.response.get("ResponseMetadata", {})
            return {
                "status": metadata.get("HTTPStatusCode", 0),
                "body": {"__type": e.response["Error"]["Code"], "message": e.response["Error"]["Message"]},
                "request_id": metadata.get("RequestId") or self.request_id,
            }


OPERATIONS = {"invoke": Invoke, "converse": Converse}

program.run(Conversation)
