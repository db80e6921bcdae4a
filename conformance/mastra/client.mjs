// Holds conversations through an agent of Mastra: see program.go. It is copied to where the libraries are.
import { randomUUID } from "node:crypto";
import readline from "node:readline";
import { createAnthropic } from "@ai-sdk/anthropic";
import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";

const choices = {
  auto: () => "auto",
  any: () => "required",
  none: () => "none",
  tool: ({ name }) => ({ type: "tool", toolName: name }),
};

class Conversation {
  constructor({ base_url, key = "none", setup }) {
    const { model, max_tokens, system = "", tools = [], tool_choice, stop_sequences } = setup;
    this.instructions = system;
    this.model = createAnthropic({ baseURL: `${base_url}/v1`, apiKey: key })(model);
    this.tools = tools.map(({ name, description, input_schema }) => ({ id: name, description, inputSchema: input_schema }));
    this.settings = {
      toolChoice: tool_choice && choices[tool_choice.type](tool_choice),
      modelSettings: { maxOutputTokens: max_tokens, stopSequences: stop_sequences, maxRetries: 0 },
    };
    this.messages = [];
  }

  // agent has tools that it runs, or leaves to its caller if there is nothing to execute.
  agent(execute = () => undefined) {
    const tools = this.tools.map((spec) => [spec.id, createTool({ ...spec, execute: execute(spec.id), toModelOutput })]);
    const { instructions, model } = this;
    return new Agent({ id: "agent", name: "agent", instructions, model, tools: Object.fromEntries(tools) });
  }

  async turn({ content, stream, leave }) {
    this.say(content);
    this.abort = new AbortController();
    const settings = { ...this.settings, abortSignal: this.abort.signal };
    if (!stream) return { message: this.message(await this.agent().generate(this.messages, settings)) };
    const output = await this.agent().stream(this.messages, settings);
    for await (const { type, payload } of output.fullStream) {
      if (type === "error") throw payload.error;
      if (type === "text-delta" && leave) {
        this.abort.abort();
        return { message: { content: [payload] } };
      }
    }
    return { message: this.message(await output.getFullOutput()) };
  }

  // run has the agent run the tools, and adds the calls to the message.
  async run({ content }, message) {
    const execute = (name) => async (input) => {
      message.content.push({ name, input });
      return "stored";
    };
    const output = await this.agent(execute).stream(content[0].text, { ...this.settings, maxSteps: 3 });
    for await (const { type, payload } of output.fullStream) {
      if (type === "error") throw payload.error;
    }
  }

  // say puts results of tools in the message that has their calls, and adds what the user says.
  say(content) {
    const answer = this.messages.at(-1);
    const results = content.filter((part) => part.type === "tool_result");
    for (const { tool_use_id, ...result } of results) {
      Object.assign(answer.parts.find(({ toolCallId }) => toolCallId === tool_use_id), outcome(result));
    }
    if (results.length) answer.parts.push({ type: "step-start" });
    const parts = content.filter((part) => part.type !== "tool_result");
    if (parts.length) this.messages.push({ id: randomUUID(), role: "user", parts });
  }

  // message takes an answer into the history, in place of the message that it goes on from.
  message({ text, toolCalls, response, finishReason, providerMetadata }) {
    if (finishReason === "aborted") throw new Error(finishReason);
    const heard = response.uiMessages;
    this.messages = [...this.messages.filter(({ id }) => !heard.some((message) => message.id === id)), ...heard];
    return {
      model: response.modelId,
      content: [...(text ? [{ type: "text", text }] : []), ...toolCalls.map(block)],
      stop_reason: { stop: "end_turn", "tool-calls": "tool_use", length: "max_tokens" }[finishReason],
      stop_sequence: providerMetadata?.anthropic?.stopSequence ?? "",
    };
  }
}

const block = ({ payload: { toolCallId, toolName, args } }) => ({ type: "tool_use", id: toolCallId, name: toolName, input: args });

// outcome is that of a call.
function outcome({ content, is_error }) {
  if (is_error) return { state: "output-error", errorText: content[0].text };
  return { state: "output-available", output: content };
}

// toModelOutput is what a model is given of a tool's output, if that is blocks of a turn.
function toModelOutput(output) {
  if (!Array.isArray(output)) return;
  const value = output.map(({ type, text, source }) =>
    type === "text" ? { type, text } : { type: "image-data", mediaType: source.media_type, data: source.data },
  );
  return { type: "content", value };
}

async function verdict(conversation, request) {
  const message = { content: [] };
  try {
    if (!request.run) return await conversation.turn(request);
    await conversation.run(request, message);
    return { message };
  } catch (e) {
    if (e.responseBody) {
      const { statusCode: status, responseBody, responseHeaders } = e;
      return { failure: { status, body: JSON.parse(responseBody), request_id: responseHeaders["request-id"] } };
    }
    // What an event of a stream tells has neither a status nor a request id.
    if (e.type) return { failure: { status: 0, body: { type: "error", error: { type: e.type, message: e.message } } } };
    return { message, error: String(e) };
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
