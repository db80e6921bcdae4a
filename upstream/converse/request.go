package converse

// FamilyFields are parameters that go to the model as they are. Each family has a name
// of its own for the same one.
type FamilyFields struct {
	TopK      *int           `json:"top_k,omitzero"`
	K         *int           `json:"k,omitzero"` // Cohere's top_k
	Inference *NovaInference `json:"inferenceConfig,omitzero"`
}

// NovaInference has Nova's top_k.
type NovaInference struct {
	TopK int `json:"topK"`
}

// Guardrail is the guardrail that the answer has to pass.
type Guardrail struct {
	ID      string `json:"guardrailIdentifier"`
	Version string `json:"guardrailVersion"`
	Trace   string `json:"trace,omitzero"`                // enabled, enabled_full or disabled
	Mode    string `json:"streamProcessingMode,omitzero"` // sync or async; of ConverseStream alone
}
