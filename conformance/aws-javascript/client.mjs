// Holds conversations through the AWS SDK for JavaScript, with one of the operations of Bedrock and the
// SDK's own choice of HTTP: see program.go. It is copied to where the library is.
import readline from "node:readline";
import {
  BedrockRuntimeClient,
  ConverseCommand,
  ConverseStreamCommand,
  InvokeModelCommand,
  InvokeModelWithResponseStreamCommand,
} from "@aws-sdk/client-bedrock-runtime";

const open = (endpoint, accessKeyId) =>
  new BedrockRuntimeClient({
    endpoint,
    region: "us-east-1",
    credentials: { accessKeyId, secretAccessKey: "secret" },
    maxAttempts: process.argv.includes("retries") ? undefined : 1,
  });

const decoder = new TextDecoder();

// InvokeModel with the body of the Messages API.
class Invoke {
  constructor({ model, ...rest }) {
    this.modelId = model;
    this.body = { anthropic_version: "bedrock-2023-05-31", ...rest, messages: [] };
  }

  say(content) {
    this.body.messages.push({ role: "user", content });
    return { modelId: this.modelId, body: JSON.stringify(this.body) };
  }

  heard({ content }) {
    this.body.messages.push({ role: "assistant", content });
  }

  whole = (params) => new InvokeModelCommand(params);
  streamed = (params) => new InvokeModelWithResponseStreamCommand(params);
  message = (output) => JSON.parse(decoder.decode(output.body));
  frames = (output) => output.body;

  // Takes a frame into the answer, and returns its type and the text that it brings.
  take(frame, answer) {
    const event = JSON.parse(decoder.decode(frame.chunk.bytes));
    const block = answer.content?.[event.index];
    let text = "";
    switch (event.type) {
      case "message_start":
        Object.assign(answer, event.message);
        break;
      case "content_block_start":
        answer.content.push(event.content_block);
        if (event.content_block.type === "tool_use") event.content_block.input = "";
        break;
      case "content_block_delta":
        if (event.delta.type === "text_delta") block.text += text = event.delta.text;
        else block.input += event.delta.partial_json;
        break;
      case "content_block_stop":
        if (block.type === "tool_use") block.input = JSON.parse(block.input);
        break;
      case "message_delta":
        Object.assign(answer, event.delta);
    }
    return { type: event.type, text };
  }
}

// Converse, from and to the terms of the Messages API.
class Converse {
  constructor({ model, max_tokens, system, tools, tool_choice, stop_sequences }) {
    this.params = {
      modelId: model,
      messages: [],
      system: system && [{ text: system }],
      inferenceConfig: { maxTokens: max_tokens, stopSequences: stop_sequences },
      additionalModelResponseFieldPaths: ["/stop_sequence"],
    };
    if (tools) {
      const toolSpecs = tools.map(({ name, description, input_schema }) => ({
        toolSpec: { name, description, inputSchema: { json: input_schema } },
      }));
      this.params.toolConfig = { tools: toolSpecs };
      if (tool_choice) {
        const { type, ...rest } = tool_choice;
        this.params.toolConfig.toolChoice = { [type]: rest };
      }
    }
  }

  part(part) {
    switch (part.type) {
      case "text":
        return { text: part.text };
      case "image":
        return { image: { format: "png", source: { bytes: Buffer.from(part.source.data, "base64") } } };
      default:
        return {
          toolResult: {
            toolUseId: part.tool_use_id,
            content: part.content.map((inner) => this.part(inner)),
            status: part.is_error ? "error" : undefined,
          },
        };
    }
  }

  say(content) {
    this.params.messages.push({ role: "user", content: content.map((part) => this.part(part)) });
    return this.params;
  }

  heard({ content }) {
    const blocks = content.map(({ type, text, id, name, input }) =>
      type === "text" ? { text } : { toolUse: { toolUseId: id, name, input } },
    );
    this.params.messages.push({ role: "assistant", content: blocks });
  }

  whole = (params) => new ConverseCommand(params);
  streamed = (params) => new ConverseStreamCommand(params);
  frames = (output) => output.stream;

  ending = ({ stopReason, additionalModelResponseFields: extra }) => ({
    stop_reason: stopReason,
    stop_sequence: extra?.stop_sequence,
  });

  message(output) {
    const content = output.output.message.content.map(({ text, toolUse }) =>
      toolUse
        ? { type: "tool_use", id: toolUse.toolUseId, name: toolUse.name, input: toolUse.input }
        : { type: "text", text },
    );
    return { content, ...this.ending(output) };
  }

  take(frame, answer) {
    const [[type, event]] = Object.entries(frame);
    const content = (answer.content ??= []);
    const index = event.contentBlockIndex;
    let text = "";
    switch (type) {
      case "contentBlockStart": {
        const { toolUseId, name } = event.start.toolUse;
        content.push({ type: "tool_use", id: toolUseId, name, input: "" });
        break;
      }
      case "contentBlockDelta":
        if (index === content.length) content.push({ type: "text", text: "" });
        if (event.delta.toolUse) content[index].input += event.delta.toolUse.input;
        else content[index].text += text = event.delta.text;
        break;
      case "contentBlockStop":
        if (content[index].type === "tool_use") content[index].input = JSON.parse(content[index].input);
        break;
      case "messageStop":
        Object.assign(answer, this.ending(event));
    }
    return { type, text };
  }
}

// Returns the message and the types of the events; found is what is known if it fails.
async function turn({ client, operation }, { content, stream, leave }, abort, found) {
  const abortSignal = abort.signal;
  const params = operation.say(content);
  const events = [];
  let message = {};
  if (stream) {
    const output = await client.send(operation.streamed(params), { abortSignal });
    found.request_id = output.$metadata.requestId;
    for await (const frame of operation.frames(output)) {
      const { type, text } = operation.take(frame, message);
      events.push(type);
      if (leave && text) {
        abort.abort(); // to stop reading does not end the request
        return { message, events };
      }
    }
  } else {
    message = operation.message(await client.send(operation.whole(params), { abortSignal }));
  }
  operation.heard(message);
  return { message, events };
}

async function verdict(conversation, request, abort) {
  const found = {};
  try {
    return await turn(conversation, request, abort, found);
  } catch (e) {
    const ours = e instanceof SyntaxError; // of JSON that the library leaves to its users
    if (ours || (!e.$fault && !found.request_id)) return { error: String(e) };
    return {
      failure: {
        status: e.$metadata?.httpStatusCode ?? 0,
        body: { __type: e.name, message: e.message },
        request_id: e.$metadata?.requestId ?? found.request_id,
      },
    };
  }
}

const operations = { invoke: Invoke, converse: Converse };
let conversation, abort;
for await (const line of readline.createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  if (request.setup) {
    conversation?.client.destroy();
    const client = open(request.base_url, request.key ?? "none");
    conversation = { client, operation: new operations[process.argv[2]](request.setup) };
  } else if (request.abort) {
    abort.abort();
  } else {
    abort = new AbortController();
    verdict(conversation, request, abort).then((v) => process.stdout.write(JSON.stringify(v) + "\n"));
  }
}
conversation?.client.destroy();
