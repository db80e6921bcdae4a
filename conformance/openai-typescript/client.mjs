// Holds conversations through the openai package: see program.go. It is copied to where the library is.
import readline from "node:readline";
import OpenAI from "openai";

const reasons = { stop: "end_turn", length: "max_tokens", tool_calls: "tool_use" };

class Conversation {
  constructor({ base_url, key = "none", setup }) {
    this.client = new OpenAI({ baseURL: `${base_url}/v1`, apiKey: key, maxRetries: 0 });
    this.request = {
      model: setup.model,
      max_tokens: setup.max_tokens,
      stop: setup.stop_sequences,
      tools: setup.tools?.map(({ name, description, input_schema }) => ({
        type: "function",
        function: { name, description, parameters: input_schema },
      })),
      tool_choice: choice(setup.tool_choice),
    };
    this.messages = setup.system ? [{ role: "system", content: setup.system }] : [];
  }

  // Returns the message; the library hides the types of events.
  async turn({ content, stream, leave }, signal) {
    this.messages.push(...said(content));
    const params = { ...this.request, messages: this.messages };
    const completion = stream
      ? await this.stream(params, leave, signal)
      : await this.client.chat.completions.create(params, { signal });
    const [{ message, finish_reason }] = completion.choices;
    this.messages.push(message);
    return {
      message: {
        model: completion.model,
        stop_reason: reasons[finish_reason] ?? finish_reason,
        content: [
          ...(message.content ? [{ type: "text", text: message.content }] : []),
          ...(message.tool_calls ?? []).map(({ id, function: { name, arguments: input } }) => ({
            type: "tool_use",
            id,
            name,
            input: JSON.parse(input),
          })),
        ],
      },
    };
  }

  async stream(params, leave, signal) {
    const stream = this.client.chat.completions.stream(params, { signal });
    let left;
    for await (const { choices } of stream) {
      if (leave && choices[0]?.delta.content) {
        left = stream.currentChatCompletionSnapshot;
        break;
      }
    }
    return left ?? (await stream.finalChatCompletion());
  }

  // Has the library run the tools, and adds the calls to the message.
  async run({ content }, message) {
    const tools = this.request.tools.map(({ function: { name, description, parameters } }) => ({
      type: "function",
      function: {
        name,
        description,
        parameters,
        parse: JSON.parse,
        function: (input) => {
          message.content.push({ name, input });
          return "stored";
        },
      },
    }));
    const params = { ...this.request, tools, messages: said(content), stream: true };
    await this.client.chat.completions.runTools(params).done();
  }
}

function choice(given) {
  if (given?.type === "tool") return { type: "function", function: { name: given.name } };
  return given?.type === "any" ? "required" : given?.type;
}

// The messages of a turn. None tells whether a result is an error.
function said(content) {
  const results = content.filter((part) => part.type === "tool_result");
  const rest = content.filter((part) => part.type !== "tool_result");
  return [
    ...results.map((result) => ({ role: "tool", tool_call_id: result.tool_use_id, content: parts(result.content) })),
    ...(rest.length ? [{ role: "user", content: parts(rest) }] : []),
  ];
}

function parts(content) {
  return content.map((part) =>
    part.type === "image"
      ? { type: "image_url", image_url: { url: `data:${part.source.media_type};base64,${part.source.data}` } }
      : part,
  );
}

async function verdict(conversation, request, signal) {
  const message = { content: [] };
  try {
    if (!request.run) return await conversation.turn(request, signal);
    await conversation.run(request, message);
    return { message };
  } catch (e) {
    // An error within a stream has a body and no status.
    if (e instanceof OpenAI.APIError && e.error) {
      return { failure: { status: e.status ?? 0, body: e.error, request_id: e.requestID ?? "" } };
    }
    return { message, error: String(e) };
  }
}

let conversation, abort;
for await (const line of readline.createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  if (request.setup) {
    conversation = new Conversation(request);
  } else if (request.abort) {
    abort.abort();
  } else {
    abort = new AbortController();
    verdict(conversation, request, abort.signal).then((v) => process.stdout.write(JSON.stringify(v) + "\n"));
  }
}
