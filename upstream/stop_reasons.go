package upstream

import (
	"strings"

	"dragoman/translate/messages"
)

// stopWords maps the words for why an answer ended, in lower case: those of the Messages API, of chat
// completions, and of servers that have more of them.
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

// brokenOffWords maps the words by which a server says that it broke off its answer.
var brokenOffWords = map[string]errorClass{
	"error":                        badGateway, // OpenRouter
	"abort":                        badGateway, // vLLM
	"network_error":                badGateway, // Z.ai
	"insufficient_system_resource": overloaded, // DeepSeek
}

// stopReason returns the stop for the word by which an upstream says why the answer to a prompt ended. A
// word that is not known ends the turn, and is returned as unknown. pause_turn, of a
// turn that the upstream would go on with, is an end like any other.
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

// nativeStop is [stopReason] of a model with a tool API of its own: a word that is not known stays as it is,
// because a client may know it.
func nativeStop(word messages.Stop) messages.Stop {
	if stop, known := stopWords[strings.ToLower(string(word))]; known {
		return stop
	}
	return word
}

// brokenOff returns the error for a word by which an upstream says that it broke off its answer, and nil
// for any other word.
func brokenOff(word string) error {
	class, ok := brokenOffWords[strings.ToLower(word)]
	if !ok {
		return nil
	}
	e := class.error("the upstream broke off its answer: " + strings.ToLower(word))
	e.ours = true // the word is one of the table
	return e
}
