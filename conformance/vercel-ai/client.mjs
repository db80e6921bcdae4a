// Holds conversations through the ai package: see program.go. The argument is the provider. It is
// copied to where the libraries are.
import readline from "node:readline";
import { APICallError, generateText, jsonSchema, stepCountIs, streamText, tool } from "ai";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createAmazonBedrock } from "@ai-sdk/amazon-bedrock";
import { createBedrockAnthropic } from "@ai-sdk/amazon-bedrock/anthropic";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";

// What a key is to AWS is the id of an access key.
const aws = ({ base_url, key = "none" }) => ({
  baseURL: base_url,
  region: "us-east-1",
  accessKeyId: key,
  secretAccessKey: "none",
});

// event is a failure within a stream, as the Messages API tells it.
const event = ({ type, message }) => ({ type: "error", error: { type, message } });

// Each provider opens models, has its own place for the stop sequence, and makes errors of what the
// server answers.
const providers = {
  anthropic: {
    open: ({ base_url, key = "none" }) => createAnthropic({ baseURL: `${base_url}/v1`, apiKey: key }),
    metadata: "anthropic",
    response: (body) => body,
    event,
  },
  invoke: {
    open: (request) => createBedrockAnthropic(aws(request)),
    metadata: "anthropic",
    response: (body) => body.error,
    event,
  },
  converse: {
    open: (request) => {
      const bedrock = createAmazonBedrock(aws(request));
      // Told of the family, the library asks for the stop sequence whatever the model's name is.
      return (model) => bedrock(model, { modelFamily: "anthropic" });
    },
    metadata: "bedrock",
    response: (body, headers) => ({ ...body, __type: headers["x-amzn-errortype"] }),
    event: ({ type, message }) => ({ __type: type, message }),
  },
  compatible: {
    open: ({ base_url, key = "none" }) =>
      createOpenAICompatible({ name: "dragoman", baseURL: `${base_url}/v1`, apiKey: key }),
    response: (body) => body,
    event: (error) => ({ error: error.data ?? error }), // release 7 wraps what the server tells
    reasons: { stop: "end_turn", length: "max_tokens", tool_calls: "tool_use" },
  },
};

const provider = providers[process.argv[2]];

const choices = {
  auto: () => "auto",
  any: () => "required",
  none: () => "none",
  tool: ({ name }) => ({ type: "tool", toolName: name }),
};

class Conversation {
  constructor(request) {
    const { model, max_tokens, system, tools, tool_choice, stop_sequences } = request.setup;
    this.settings = {
      model: provider.open(request)(model),
      maxOutputTokens: max_tokens,
      system,
      tools:
        tools &&
        Object.fromEntries(
          tools.map(({ name, description, input_schema }) => [
            name,
            tool({ description, inputSchema: jsonSchema(input_schema) }), // without execute, so that calls come back
          ]),
        ),
      toolChoice: tool_choice && choices[tool_choice.type](tool_choice),
      stopSequences: stop_sequences,
      maxRetries: 0,
    };
    this.messages = [];
  }

  async turn({ content, stream, leave }) {
    this.messages.push(...this.turnMessages(content));
    this.abort = new AbortController();
    const request = { ...this.settings, messages: this.messages, abortSignal: this.abort.signal };
    if (stream) {
      const result = streamText({ ...request, onError: () => {} });
      for await (const part of result.fullStream) {
        if (part.type === "error") throw part.error;
        if (part.type === "text-delta" && leave) {
          this.abort.abort();
          return { message: { content: [{ type: "text", text: part.text }] } };
        }
      }
      return { message: await this.message(result) };
    }
    return { message: await this.message(await generateText(request)) };
  }

  // run has the library run the tools, and adds the calls to the message.
  async run({ content }, message) {
    const execute = (name) => (input) => {
      message.content.push({ name, input });
      return "stored";
    };
    const tools = Object.fromEntries(
      Object.entries(this.settings.tools).map(([name, tool]) => [name, { ...tool, execute: execute(name) }]),
    );
    const messages = this.turnMessages(content);
    const result = streamText({ ...this.settings, tools, messages, stopWhen: stepCountIs(3), onError: () => {} });
    for await (const part of result.fullStream) {
      if (part.type === "error") throw part.error;
    }
  }

  // turnMessages are results of tools, and what the user says.
  turnMessages(content) {
    const results = content.filter((part) => part.type === "tool_result");
    const rest = content.filter((part) => part.type !== "tool_result");
    return [
      results.length && {
        role: "tool",
        content: results.map((part) => ({
          type: "tool-result",
          toolCallId: part.tool_use_id,
          toolName: this.names[part.tool_use_id],
          output: output(part),
        })),
      },
      rest.length && { role: "user", content: rest },
    ].filter(Boolean);
  }

  // message takes a result into the history. What is of a stream is promised.
  async message(result) {
    const content = await result.content;
    const broken = content.find((part) => part.type === "tool-call" && part.invalid);
    if (broken) throw broken.error;
    const { modelId, messages } = await result.response;
    this.messages.push(...messages);
    this.names = Object.fromEntries((await result.toolCalls).map((call) => [call.toolCallId, call.toolName]));
    const reason = await result.rawFinishReason;
    return {
      model: modelId,
      content: content.map(block).filter(Boolean),
      stop_reason: provider.reasons?.[reason] ?? reason,
      stop_sequence: (await result.providerMetadata)?.[provider.metadata]?.stopSequence ?? "",
    };
  }
}

// block is nothing for what the library adds of its own.
function block(part) {
  if (part.type === "text") return part;
  if (part.type === "tool-call") return { type: "tool_use", id: part.toolCallId, name: part.toolName, input: part.input };
}

function output({ content, is_error }) {
  if (is_error) return { type: "error-text", value: content[0].text };
  return {
    type: "content",
    value: content.map(({ type, text, source }) =>
      type === "text" ? { type, text } : { type: "image-data", mediaType: source.media_type, data: source.data },
    ),
  };
}

async function verdict(conversation, request) {
  const message = { content: [] };
  try {
    if (!request.run) return await conversation.turn(request);
    await conversation.run(request, message);
    return { message };
  } catch (e) {
    if (APICallError.isInstance(e)) {
      const { statusCode: status, responseBody, responseHeaders } = e;
      return { failure: { status, body: provider.response(JSON.parse(responseBody), responseHeaders), request_id: responseHeaders["request-id"] } };
    }
    // What an event of a stream tells has neither a status nor a request id.
    if (e.type) return { failure: { status: 0, body: provider.event(e) } };
    return { message, error: String(e.message) };
  }
}

let conversation;
for await (const line of readline.createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  if (request.setup) {
    conversation = new Conversation(request);
  } else if (request.abort) {
    conversation.abort.abort();
  } else {
    verdict(conversation, request).then((v) => process.stdout.write(JSON.stringify(v) + "\n"));
  }
}
