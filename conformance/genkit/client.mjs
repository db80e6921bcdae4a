// Holds conversations through Genkit: see program.go. It is copied to where the libraries are.
import readline from "node:readline";
import { anthropic } from "@genkit-ai/anthropic";
import { genkit } from "genkit";

class Conversation {
  constructor({ base_url, key = "none", setup }) {
    const { model, max_tokens, stop_sequences, system, tools = [], tool_choice } = setup;
    process.env.ANTHROPIC_BASE_URL = base_url; // the plugin has no option for it, and none for retries
    this.genkit = genkit({ plugins: [anthropic({ apiKey: key })] });
    this.tools = tools.map(({ name, description, input_schema }) =>
      this.genkit.defineTool({ name, description, inputJsonSchema: input_schema }, (input) => {
        this.ran.push({ name, input });
        return "stored";
      }),
    );
    const config = { maxOutputTokens: max_tokens, stopSequences: stop_sequences, tool_choice };
    this.request = { model: anthropic.model(model), config, system, tools: this.tools };
    this.messages = [];
  }

  async turn({ content, stream, leave }) {
    this.messages.push(...this.turnMessages(content));
    this.abort = new AbortController();
    const request = { ...this.request, messages: this.messages, returnToolRequests: true, abortSignal: this.abort.signal };
    if (!stream) return { message: this.answer(await this.genkit.generate(request)) };
    const { stream: chunks, response } = this.genkit.generateStream(request);
    for await (const { text } of chunks) {
      if (leave && text) {
        this.abort.abort();
        response.catch(() => {}); // that it was aborted
        return { message: { content: [{ type: "text", text }] } };
      }
    }
    return { message: this.answer(await response) };
  }

  // run has the library run the tools, and adds the calls to the message.
  async run({ content }, message) {
    this.ran = message.content;
    const { stream, response } = this.genkit.generateStream({ ...this.request, messages: this.turnMessages(content) });
    for await (const _ of stream);
    await response;
  }

  // turnMessages are results of tools, and what the user says.
  turnMessages(content) {
    const results = content.filter((part) => part.type === "tool_result");
    const rest = content.filter((part) => part.type !== "tool_result");
    return [
      results.length && {
        role: "tool",
        content: results.map(({ tool_use_id, content }) => ({
          toolResponse: { ref: tool_use_id, name: this.names[tool_use_id], output: content[0].text },
        })),
      },
      rest.length && { role: "user", content: rest.map(({ text }) => ({ text })) },
    ].filter(Boolean);
  }

  // answer takes a message into the history.
  answer({ message, raw, toolRequests }) {
    this.messages.push(message.toJSON());
    this.names = Object.fromEntries(toolRequests.map(({ toolRequest }) => [toolRequest.ref, toolRequest.name]));
    const { model, stop_reason, stop_sequence } = raw;
    return { model, content: message.content.map(block), stop_reason, stop_sequence: stop_sequence ?? "" };
  }
}

// block is a part of a message as the Messages API has it.
function block({ text, toolRequest: call }) {
  return call ? { type: "tool_use", id: call.ref, name: call.name, input: call.input } : { type: "text", text };
}

async function verdict(conversation, request) {
  const message = { content: [] };
  try {
    if (!request.run) return await conversation.turn(request);
    await conversation.run(request, message);
    return { message };
  } catch (e) {
    // What the server told is in the message, after a status if there is one.
    const [, status = 0, body] = /^(\d+ )?(\{.*\})$/.exec(e.originalMessage) ?? [];
    if (!body) return { message, error: String(e) };
    const told = JSON.parse(body);
    return { failure: { status: Number(status), body: told, request_id: told.request_id } };
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
