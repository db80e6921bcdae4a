package converse

// FamilyFields are parameters that Bedrock passes to the model unchanged. top_k has another name in each
// family.
type FamilyFields struct {
	TopK      *int           `json:"top_k,omitzero"`
	K         *int           `json:"k,omitzero"` // Cohere's top_k
	Inference *NovaInference `json:"inferenceConfig,omitzero"`
}

// NovaInference has Nova's top_k.
type NovaInference struct {
	TopK int `json:"topK"`
}

// Guardrail is the guardrail that checks the answer.
type Guardrail struct {
	ID      string `json:"guardrailIdentifier"`
	Version string `json:"guardrailVersion"`
	Trace   string `json:"trace,omitzero"`                // enabled, enabled_full or disabled
	Mode    string `json:"streamProcessingMode,omitzero"` // sync or async; only for ConverseStream
}
