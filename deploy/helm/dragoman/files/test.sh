# Asks for a tool call as a stream, and fails unless one comes whole. The model, the URL and the key
# are in the environment.
set -eu

answer=$(curl -sSN --fail-with-body --max-time 120 --retry 10 --retry-connrefused --retry-delay 1 \
	"$URL/v1/messages" -H "x-api-key: ${DRAGOMAN_KEY:-none}" -H 'content-type: application/json' -d '{
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
