package converse

import "github.com/go-json-experiment/json/jsontext"

// Answer is the answer of Converse, which comes in one piece.
type Answer struct {
	Output Output `json:"output"`
	Ending
	Metering
}

// Output holds the message that the model wrote.
type Output struct {
	Message Message `json:"message"`
}

// Ending says how an answer ended: in an [Answer], and in the event [EventMessageStop].
type Ending struct {
	StopReason string `json:"stopReason"`
	// Fields are those of the model's own answer that the request asked for, in
	// whatever form its family writes them.
	Fields jsontext.Value `json:"additionalModelResponseFields,omitzero"`
}

// Metering says what an answer took: in an [Answer], and in the event [EventMetadata].
type Metering struct {
	Usage   Usage   `json:"usage"`
	Metrics Metrics `json:"metrics"`
}

// Usage counts tokens. Input does not include those of the cache; Total includes all.
type Usage struct {
	Input      int `json:"inputTokens"`
	Output     int `json:"outputTokens"`
	Total      int `json:"totalTokens"`
	CacheRead  int `json:"cacheReadInputTokens"`
	CacheWrite int `json:"cacheWriteInputTokens"`
}

// Metrics has the time that an answer took, in milliseconds.
type Metrics struct {
	Latency int64 `json:"latencyMs"`
}
