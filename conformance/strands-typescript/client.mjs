// Holds conversations through the models of Strands: see program.go. The argument is the provider. It is
// copied to where the libraries are.
import readline from "node:readline";
import { Agent, FunctionTool, ImageBlock, MaxTokensError, Message, TextBlock, ToolResultBlock } from "@strands-agents/sdk";
import { AnthropicModel } from "@strands-agents/sdk/models/anthropic";
import { BedrockModel } from "@strands-agents/sdk/models/bedrock";

const models = {
  anthropic: ({ base_url, key = "none" }, settings) =>
    new AnthropicModel({ apiKey: key, clientConfig: { baseURL: base_url, maxRetries: 0 }, ...settings }),
  converse: ({ base_url, key = "none" }, settings) => {
    const credentials = { accessKeyId: key, secretAccessKey: "none" };
    const clientConfig = { endpoint: base_url, credentials, maxAttempts: 1 };
    // Whether a result has a status, the library cannot know by the model's name.
    return new BedrockModel({ region: "us-east-1", clientConfig, includeToolResultStatus: true, ...settings });
  },
};

class Conversation {
  constructor(request) {
    const { model, max_tokens, stop_sequences, system, tools = [], tool_choice } = request.setup;
    const settings = { modelId: model, maxTokens: max_tokens, ...(stop_sequences && { stopSequences: stop_sequences }) };
    this.model = models[process.argv[2]](request, settings);
    this.tools = tools.map(({ name, description, input_schema }) => ({ name, description, inputSchema: input_schema }));
    this.options = { systemPrompt: system, toolSpecs: this.tools, toolChoice: tool_choice && choice(tool_choice) };
    this.messages = [];
  }

  async turn({ content, stream, leave }) {
    this.messages.push(new Message({ role: "user", content: content.map(block) }));
    this.model.updateConfig({ stream: Boolean(stream) }); // of Bedrock alone; else it is always one
    this.abort = new AbortController();
    const events = this.model.streamAggregated(this.messages, { ...this.options, cancelSignal: this.abort.signal });
    for (;;) {
      const { done, value } = await events.next();
      if (done) {
        this.messages.push(value.message);
        return { message: answer(value.message, value.stopReason) };
      }
      if (leave && value.delta?.type === "textDelta") {
        this.abort.abort();
        await events.return();
        return { message: { content: [{ type: "text", text: value.delta.text }] } };
      }
    }
  }

  // run has an agent run the tools, and adds the calls to the message.
  async run({ content }, message) {
    const tools = this.tools.map(
      (spec) =>
        new FunctionTool({
          ...spec,
          callback: (input) => {
            message.content.push({ name: spec.name, input });
            return "stored";
          },
        }),
    );
    await new Agent({ model: this.model, tools, printer: false, retryStrategy: null }).invoke(content[0].text);
  }
}

const choice = ({ type, name }) => ({ [type]: name ? { name } : {} });

// block is a block of a turn as Strands has it.
function block(part) {
  if (part.type === "text") return new TextBlock(part.text);
  if (part.type === "image") {
    return new ImageBlock({ format: "png", source: { bytes: new Uint8Array(Buffer.from(part.source.data, "base64")) } });
  }
  const content = part.content.map(block);
  return new ToolResultBlock({ toolUseId: part.tool_use_id, status: part.is_error ? "error" : "success", content });
}

// answer is a message in the words of the Messages API.
function answer({ content }, stopReason) {
  return {
    content: content.map((b) =>
      b.type === "textBlock" ? { type: "text", text: b.text } : { type: "tool_use", id: b.toolUseId, name: b.name, input: b.input },
    ),
    stop_reason: stopReason.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    stop_sequence: "",
  };
}

async function verdict(conversation, request) {
  const message = { content: [] };
  try {
    if (!request.run) return await conversation.turn(request);
    await conversation.run(request, message);
    return { message };
  } catch (e) {
    // An answer that is cut is an error with what there is of it.
    if (e instanceof MaxTokensError && !request.run) return { message: answer(e.partialMessage, "maxTokens") };
    return failure(e.cause ?? e) ?? { message, error: String(e) };
  }
}

// failure is what the error of an SDK tells of the server's.
function failure(e) {
  if (e.error) return { failure: { status: e.status ?? 0, body: e.error, request_id: e.requestID } };
  const { httpStatusCode: status = 0, requestId: request_id } = e.$metadata ?? {};
  if (e.$metadata) return { failure: { status, body: { __type: e.name, message: e.message }, request_id } };
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
