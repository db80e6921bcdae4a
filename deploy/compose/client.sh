#!/bin/sh
# Sends Dragoman four requests in a loop: a streamed tool call, its result, a plain question whose first
# upstream fails, and an unknown model.
#
# BASE_URL: Dragoman's address. API_KEY: the client key. PAUSE: seconds between turns.
set -u

tools='[{"name": "get_weather", "description": "The weather in a city. Returns text.",
  "input_schema": {"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}, "required": ["city"]}}]'
question='{"role": "user", "content": "What is the weather in Oslo?"}'
call='{"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "get_weather", "input": {"city": "Oslo"}}]}'
result='{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "12 degrees, and rain"}]}'

# ask sends a request and prints the status of its answer. If the server is down, the next turn tries again.
ask() {
	curl --silent --show-error --no-buffer --max-time 60 --output /dev/null --write-out '%{http_code}\n' \
		--header "x-api-key: $API_KEY" --header 'content-type: application/json' --header 'anthropic-version: 2023-06-01' \
		--data "$1" "$BASE_URL/v1/messages" || true
}

while :; do
	ask '{"model": "claude-2.1", "max_tokens": 500, "stream": true, "tools": '"$tools"', "messages": ['"$question"']}'
	ask '{"model": "claude-2.1", "max_tokens": 500, "stream": true, "tools": '"$tools"', "messages": ['"$question, $call, $result"']}'
	ask '{"model": "claude-instant-1.2", "max_tokens": 100, "metadata": {"user_id": "compose"}, "messages": [{"role": "user", "content": "Hello"}]}'
	ask '{"model": "no-such-model", "max_tokens": 100, "messages": [{"role": "user", "content": "Hello"}]}'
	sleep "$PAUSE"
done
