package upstream

import (
	"strings"

	"dragoman/translate/messages"
)

// stopWords maps stop reasons in lower case: the words of the Messages API, of chat completions, and of some
// servers.
var stopWords = map[string]messages.Stop{
	"end_turn":                      messages.StopEndTurn,
	"max_tokens":                    messages.StopMaxTokens,
	"stop_sequence":                 messages.StopSequence,
	"tool_use":                      messages.StopToolUse,
	"pause_turn":                    messages.StopPauseTurn,
	"refusal":                       messages.StopRefusal,
	"guardrail_intervened":          messages.StopGuardrail,
	"model_context_window_exceeded": messages.StopContextWindow, // Z.ai has it, too
	"compaction":                    messages.StopCompaction,

	"stop":           messages.StopEndTurn,
	"length":         messages.StopMaxTokens,
	"tool_calls":     messages.StopToolUse,
	"function_call":  messages.StopToolUse,
	"eos_token":      messages.StopEndTurn, // TGI
	"content_filter": messages.StopRefusal,
	"sensitive":      messages.StopRefusal,       // Z.ai
	"model_length":   messages.StopContextWindow, // Mistral
}

// brokenOffWords maps stop reasons of servers that broke off their answer.
var brokenOffWords = map[string]errorClass{
	"error":                        badGateway, // OpenRouter
	"abort":                        badGateway, // vLLM
	"network_error":                badGateway, // Z.ai
	"insufficient_system_resource": overloaded, // DeepSeek
}

// stopReason returns the stop for an upstream's stop reason. An unknown word ends the turn, and is also
// returned as unknown. pause_turn ends the turn like any other reason, although the upstream would continue.
func stopReason(word string) (stop messages.Stop, unknown string) {
	stop, known := stopWords[strings.ToLower(word)]
	switch {
	case !known:
		return messages.StopEndTurn, word
	case stop == messages.StopPauseTurn, stop == messages.StopCompaction:
		return messages.StopEndTurn, ""
	}
	return stop, ""
}

// nativeStop is [stopReason] for a model with a tool API of its own. It keeps an unknown word, because the
// client may know it.
func nativeStop(word messages.Stop) messages.Stop {
	if stop, known := stopWords[strings.ToLower(string(word))]; known {
		return stop
	}
	return word
}

// brokenOff returns an error if the stop reason says that the upstream broke off its answer; otherwise nil.
func brokenOff(word string) error {
	class, ok := brokenOffWords[strings.ToLower(word)]
	if !ok {
		return nil
	}
	e := class.error("the upstream broke off its answer: " + strings.ToLower(word))
	e.ours = true // the word is from the table
	return e
}
