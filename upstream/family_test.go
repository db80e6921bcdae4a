package upstream

import "testing"

func TestPrefills(t *testing.T) {
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
		if got := Prefills(tt.id); got != tt.want {
			t.Errorf("Prefills(%q) = %t, want %t", tt.id, got, tt.want)
		}
	}
}
