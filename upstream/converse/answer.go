package converse

import "github.com/go-json-experiment/json/jsontext"

// Answer is the answer of Converse, in one piece.
type Answer struct {
	Output Output `json:"output"`
	Ending
	Metering
}

// Output holds the model's message.
type Output struct {
	Message Message `json:"message"`
}

// Ending says why an answer ended. It is part of an [Answer], and the payload of the event
// [EventMessageStop].
type Ending struct {
	StopReason string `json:"stopReason"`
	// Fields are the fields of the model's own answer that the request asked for. Their form depends on the
	// model's family.
	Fields jsontext.Value `json:"additionalModelResponseFields,omitzero"`
}

// Metering has the cost of an answer. It is part of an [Answer], and the payload of the event
// [EventMetadata].
type Metering struct {
	Usage   Usage   `json:"usage"`
	Metrics Metrics `json:"metrics"`
}

// Usage counts tokens. Input excludes cached tokens; Total includes all tokens.
type Usage struct {
	Input      int `json:"inputTokens"`
	Output     int `json:"outputTokens"`
	Total      int `json:"totalTokens"`
	CacheRead  int `json:"cacheReadInputTokens"`
	CacheWrite int `json:"cacheWriteInputTokens"`
}

// Metrics has the duration of an answer in milliseconds.
type Metrics struct {
	Latency int64 `json:"latencyMs"`
}
