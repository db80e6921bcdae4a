// Has the openai package parse answers, of the model that openai_test.go plays, and checks them. It is copied to
// where the library is.
import assert from "node:assert/strict";
import OpenAI from "openai";
import { zodFunction, zodResponseFormat } from "openai/helpers/zod";
import { z } from "zod";

const report = z.object({
  city: z.string(),
  sky: z.enum(["clear", "cloudy"]),
  hours: z.array(z.object({ hour: z.number().int(), degrees: z.number().nullable() })),
});
const expected = {
  city: 'Åsgård <b> "x"',
  sky: "clear",
  hours: [
    { hour: 9, degrees: -1.5 },
    { hour: 12, degrees: null },
  ],
};

const client = new OpenAI({ baseURL: `${process.argv[2]}/v1`, apiKey: "none", maxRetries: 0 });
const request = {
  model: "claude-2.1",
  messages: [{ role: "user", content: "What is the weather in Åsgård?" }],
  response_format: zodResponseFormat(report, "report"),
  tools: [zodFunction({ name: "get_weather", parameters: z.object({ city: z.string() }) })],
};
const whole = () => client.chat.completions.parse(request);
const streamed = () => client.chat.completions.stream(request).finalChatCompletion();

for (const ask of [whole, streamed]) {
  const answer = (await ask()).choices[0].message;
  assert.deepEqual(answer.parsed, expected);

  const called = (await ask()).choices[0].message; // the model says a word before the call
  assert.equal(called.parsed, null);
  assert.deepEqual(called.tool_calls[0].function.parsed_arguments, { city: "Oslo" });
}
