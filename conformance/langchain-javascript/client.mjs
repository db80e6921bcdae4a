// Holds conversations through the chat models of LangChain.js: see program.go. The argument is the provider.
// It is copied to where the libraries are.
import readline from "node:readline";
import { BedrockRuntimeClient } from "@aws-sdk/client-bedrock-runtime";
import { ChatAnthropic } from "@langchain/anthropic";
import { ChatBedrockConverse } from "@langchain/aws";
import { HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import { createAgent, tool } from "langchain";

// Each provider opens a model.
const providers = {
  anthropic: ({ base_url, key = "none" }, settings) => new ChatAnthropic({ anthropicApiUrl: base_url, apiKey: key, ...settings }),
  converse: ({ base_url, key = "none" }, settings) => {
    const region = "us-east-1";
    const credentials = { accessKeyId: key, secretAccessKey: "none" };
    const client = new BedrockRuntimeClient({ endpoint: base_url, region, credentials, maxAttempts: 1 });
    // Which choices there are, the library cannot know by the model's name.
    return new ChatBedrockConverse({ client, region, supportsToolChoiceValues: ["auto", "any", "tool"], ...settings });
  },
};

class Conversation {
  constructor(request) {
    const { model, max_tokens, stop_sequences, system, tools, tool_choice } = request.setup;
    this.plain = this.model = providers[process.argv[2]](request, { model, maxTokens: max_tokens, maxRetries: 0 });
    this.tools = tools?.map(({ name, description, input_schema }) => ({ name, description, schema: input_schema }));
    if (tools) this.model = this.model.bindTools(this.tools, { tool_choice: tool_choice?.name ?? tool_choice?.type });
    if (stop_sequences) this.model = this.model.withConfig({ stop: stop_sequences });
    this.messages = system ? [new SystemMessage(system)] : [];
  }

  async turn({ content, stream, leave }) {
    const results = content.filter((part) => part.type === "tool_result");
    const rest = content.filter((part) => part.type !== "tool_result");
    this.messages.push(...results.map(toolMessage));
    if (rest.length) this.messages.push(new HumanMessage({ content: rest }));
    this.abort = new AbortController();
    const message = await (stream ? this.stream(leave) : this.model.invoke(this.messages, { signal: this.abort.signal }));
    this.messages.push(message);
    return { message: answer(message) };
  }

  async stream(leave) {
    let message;
    for await (const chunk of await this.model.stream(this.messages, { signal: this.abort.signal })) {
      message = message ? message.concat(chunk) : chunk;
      if (leave && chunk.text) {
        this.abort.abort();
        break;
      }
    }
    return message;
  }

  // run has an agent run the tools, and adds the calls to the message.
  async run({ content }, message) {
    const tools = this.tools.map((spec) =>
      tool((input) => {
        message.content.push({ name: spec.name, input });
        return "stored";
      }, spec),
    );
    const agent = createAgent({ model: this.plain, tools });
    for await (const _ of await agent.stream({ messages: [new HumanMessage({ content })] }, { streamMode: "messages" }));
  }
}

function toolMessage({ tool_use_id, content, is_error }) {
  return new ToolMessage({ content: content.map(block), tool_call_id: tool_use_id, status: is_error ? "error" : "success" });
}

// block is a block as LangChain has it, given that of the Messages API.
function block(part) {
  if (part.type !== "image") return part;
  return { type: "image", source_type: "base64", mime_type: part.source.media_type, data: part.source.data };
}

// answer is a message in the words of the Messages API. Whole and streamed have them in different places.
function answer(message) {
  const told = { ...message.additional_kwargs, ...message.response_metadata };
  const calls = message.tool_calls.map(({ id, name, args }) => ({ type: "tool_use", id, name, input: args }));
  return {
    content: [...(message.text ? [{ type: "text", text: message.text }] : []), ...calls],
    model: told.model,
    stop_reason: told.stop_reason ?? told.stopReason ?? told.messageStop?.stopReason ?? "",
    stop_sequence: told.stop_sequence ?? "",
  };
}

async function verdict(conversation, request) {
  const message = { content: [] };
  try {
    if (!request.run) return await conversation.turn(request);
    await conversation.run(request, message);
    return { message };
  } catch (e) {
    // The error of the SDK below, or its cause: that of a prompt that is too long.
    return failure(e.cause ?? e) ?? { message, error: String(e) };
  }
}

// failure is what the error of an SDK tells of the server's. Within a stream it has no status.
function failure(e) {
  if (e.error) return { failure: { status: e.status ?? 0, body: e.error, request_id: e.requestID } };
  const { httpStatusCode: status = 0, requestId: request_id } = e.$metadata ?? {};
  if (e.$fault) return { failure: { status, body: { __type: e.name, message: e.message }, request_id } };
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
