# Streams a tool call, and fails if the call is not complete. The environment has the URL, the model (if
# empty: the first that is listed) and the key.
set -eu

# ask prints the answer to a request. It accepts a certificate for another name than the Service's.
ask() {
	path=$1
	shift
	curl -sSN --insecure --fail-with-body --max-time 120 --retry 10 --retry-connrefused --retry-delay 1 \
		"$URL$path" -H "x-api-key: ${DRAGOMAN_KEY:-none}" "$@"
}

if [ -z "$MODEL" ]; then
	answer=$(ask '/v1/models?limit=1') || { printf '%s\nno answer from %s\n' "$answer" "$URL"; exit 1; }
	MODEL=$(printf '%s\n' "$answer" | sed -n 's/.*"id":"\([^"]*\)".*/\1/p')
	[ -n "$MODEL" ] || { printf '%s\nno model is listed: set test.model\n' "$answer"; exit 1; }
fi

answer=$(ask /v1/messages -H 'content-type: application/json' -d '{
		"model": "'"$MODEL"'", "max_tokens": 500, "stream": true,
		"tools": [{"name": "get_weather", "description": "The weather in a city",
			"input_schema": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}}],
		"tool_choice": {"type": "tool", "name": "get_weather"},
		"messages": [{"role": "user", "content": "What is the weather in Oslo?"}]
	}') || { printf '%s\nno answer from %s\n' "$answer" "$URL"; exit 1; }
printf '%s\n' "$answer"

for part in '"type":"tool_use"' '"name":"get_weather"' '"stop_reason":"tool_use"' 'event: message_stop'; do
	case $answer in
	*"$part"*) ;;
	*) echo "the stream lacks $part"; exit 1 ;;
	esac
done
echo "a streamed tool call came from $MODEL"
