package upstream

import "testing"

func TestFeaturesOfClaude(t *testing.T) {
	tests := []struct {
		id   string
		want bool
	}{
		{"claude-2.1", true},
		{"anthropic.claude-v2:1", true},
		{"anthropic.claude-instant-v1", true},
		{"claude-3-opus-20240229", true},
		{"us.anthropic.claude-3-5-sonnet-20241022-v2:0", true},
		{"claude-3-5-sonnet@20240620", true},
		{"claude-sonnet-4-20250514", true},
		{"claude-opus-4-1-20250805", true},
		{"global.anthropic.claude-haiku-4-5-20251001-v1:0", true},
		{"arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-sonnet-4-5-20250929-v1:0", true},
		{"claude-3-*", true},
		{"Claude-3-Haiku", true},
		{"claude-opus-4-6", false},
		{"anthropic.claude-sonnet-4-6-v1:0", false},
		{"claude-sonnet-4-10", false},
		{"claude-opus-5-20270101", false},
		{"claude-mythos-preview", false},
		{"claude-opus-4*", false},
		{"claude-*-4-5", false},
		{"claude-*", false},
		{"*", false},
		{"", false},
		{"meta.llama3-70b-instruct-v1:0", false},
		{"arn:aws:bedrock:us-east-1:1:application-inference-profile/abc", false},
	}
	for _, tt := range tests {
		if got := FeaturesOf(tt.id).Has(Prefill); got != tt.want {
			t.Errorf("%q goes on with an assistant turn: %t, want %t", tt.id, got, tt.want)
		}
	}
}

func TestFeaturesOf(t *testing.T) {
	for id, want := range map[string]string{
		"claude-2.1":                         "prefill,system,streaming,stop_sequences,sampling,top_k",
		"claude-3-haiku-20240307":            "prefill,system,streaming,stop_sequences,images,documents,sampling,top_k,tools",
		"claude-3-5-haiku@20241022":          "prefill,system,streaming,stop_sequences,images,documents,sampling,top_k,caching,tools",
		"anthropic.claude-opus-4-6-v1:0":     "system,streaming,stop_sequences,images,documents,sampling,top_k,caching,tools",
		"global.anthropic.claude-opus-4-7":   "system,streaming,stop_sequences,images,documents,caching,tools",
		"claude-mythos-preview":              "system,streaming,stop_sequences,images,documents,tools",
		"claude-3-*":                         "prefill,system,streaming,stop_sequences,images,documents,sampling,top_k,tools",
		"amazon.titan-text-express-v1":       "streaming,stop_sequences,sampling",
		"us.amazon.nova-pro-v1:0":            "system,streaming,stop_sequences,images,documents,sampling,top_k,caching,tools",
		"mistral.mistral-7b-instruct-v0:2":   "streaming,stop_sequences,documents,sampling,top_k",
		"us.meta.llama3-2-11b-instruct-v1:0": "system,streaming,stop_sequences,images,documents,sampling",
		"meta/llama-3.2-11b-vision":          "system,streaming,stop_sequences,images,documents,sampling",
		"us.deepseek.r1-v1:0":                "system,streaming,sampling",
		"openai.gpt-oss-120b-1:0":            "system,streaming,sampling",
		"something-new":                      "system,streaming,stop_sequences,images,documents,sampling,top_k,tools",
	} {
		if got := FeaturesOf(id).String(); got != want {
			t.Errorf("%q can %s, want %s", id, got, want)
		}
	}
}

func TestFeatureNames(t *testing.T) {
	for _, name := range FeatureNames() {
		if got := FeatureOf(name).String(); got != name {
			t.Errorf("the feature %q is called %q", name, got)
		}
	}
	if f := FeatureOf("telepathy"); f != 0 {
		t.Errorf("telepathy is %v", f)
	}
	if got := (Override{With: Prefill | Images, Without: Images}).Apply(System); got != Prefill|System {
		t.Errorf("overridden: %v", got)
	}
}

func TestChatFeaturesOf(t *testing.T) {
	for id, want := range map[string]string{
		"qwen3":                       "system,streaming,stop_sequences,images,sampling,top_k,tools",
		"anthropic/claude-3.5-sonnet": "prefill,system,streaming,stop_sequences,images,sampling,top_k,tools",
		"anthropic/claude-opus-4.7":   "system,streaming,stop_sequences,images,tools",
	} {
		if got := ChatFeaturesOf(id).String(); got != want {
			t.Errorf("%q can %s, want %s", id, got, want)
		}
	}
}
