// Holds conversations through one of the clients around @anthropic-ai/sdk: see program.go. It is copied to
// where the libraries are.
import readline from "node:readline";
import Anthropic from "@anthropic-ai/sdk";
import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";
import AnthropicBedrock from "@anthropic-ai/bedrock-sdk";
import AnthropicVertex from "@anthropic-ai/vertex-sdk";
import { OAuth2Client } from "google-auth-library";

const clients = {
  messages: (baseURL, key) => new Anthropic({ baseURL, apiKey: key, maxRetries: 0 }),
  bedrock: (baseURL, key) =>
    new AnthropicBedrock({ baseURL, awsAccessKey: key, awsSecretKey: "secret", awsRegion: "us-east-1", maxRetries: 0 }),
  vertex: (baseURL, key) => {
    const authClient = new OAuth2Client();
    authClient.setCredentials({ access_token: key });
    const place = { projectId: "my-project", region: "us-east5" };
    return new AnthropicVertex({ baseURL: `${baseURL}/v1`, authClient, ...place, maxRetries: 0 });
  },
};

class Conversation {
  constructor({ base_url, key = "none", setup }) {
    this.client = clients[process.argv[2]](base_url, key);
    this.setup = setup;
    this.messages = [];
  }

  // Returns the message and the types of the events.
  async turn({ content, stream, leave }, signal) {
    this.messages.push({ role: "user", content });
    const params = { ...this.setup, messages: this.messages };
    const events = [];
    const message = stream
      ? await this.stream(params, leave, events, signal)
      : await this.client.messages.create(params, { signal });
    this.messages.push({ role: message.role, content: message.content });
    return { message, events };
  }

  async stream(params, leave, events, signal) {
    const stream = this.client.messages.stream(params, { signal });
    let left;
    for await (const event of stream) {
      events.push(event.type);
      if (leave && event.type === "content_block_delta") {
        left = stream.currentMessage;
        break;
      }
    }
    return left ?? (await stream.finalMessage());
  }

  // Has the library run the tools, and adds the calls to the message.
  async run({ content }, message) {
    const tools = this.setup.tools.map(({ input_schema, ...tool }) =>
      betaTool({
        ...tool,
        inputSchema: input_schema,
        run: (input) => {
          message.content.push({ name: tool.name, input });
          return "stored";
        },
      }),
    );
    const params = { ...this.setup, tools, messages: [{ role: "user", content }], stream: true };
    await this.client.beta.messages.toolRunner(params).runUntilDone();
  }
}

async function verdict(conversation, request, signal) {
  const message = { content: [] };
  try {
    if (!request.run) return await conversation.turn(request, signal);
    await conversation.run(request, message);
    return { message };
  } catch (e) {
    // An error within a stream has a body and no status.
    if (e instanceof Anthropic.APIError && e.error) {
      return { failure: { status: e.status ?? 0, body: e.error, request_id: e.requestID } };
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
