package upstream_test

import (
	"testing"

	"dragoman/upstream"
)

// TestDescribed: the wire follows from the kind of host, the id, the family and the body, and the way to take tools
// follows from the wire.
func TestDescribed(t *testing.T) {
	const (
		imported = "arn:aws:bedrock:us-east-1:111122223333:imported-model/abcdefghijkl"
		profile  = "arn:aws:bedrock:us-east-1:111122223333:application-inference-profile/abcdefghijkl"
		claude   = "anthropic.claude-3-haiku-20240307-v1:0"
		llama    = "meta/llama-3.3-70b-instruct-maas"
	)
	for _, tt := range []struct {
		model upstream.Model
		wire  string
		tools upstream.ToolAPI
	}{
		{upstream.Model{Kind: upstream.KindBedrock, ID: claude}, upstream.WireMessages, upstream.PassesRequest},
		{upstream.Model{Kind: upstream.KindBedrock, ID: claude, Wire: upstream.WireConverse}, upstream.WireConverse, upstream.NoToolAPI},
		{upstream.Model{Kind: upstream.KindBedrock, ID: "us.amazon.nova-pro-v1:0"}, upstream.WireConverse, upstream.NoToolAPI},
		{upstream.Model{Kind: upstream.KindBedrock, ID: profile}, upstream.WireMessages, upstream.PassesRequest},
		{upstream.Model{Kind: upstream.KindBedrock, ID: profile, Family: "llama"}, upstream.WireConverse, upstream.NoToolAPI},
		{upstream.Model{Kind: upstream.KindBedrock, ID: imported}, upstream.WirePrompt, upstream.NoToolAPI},
		{upstream.Model{Kind: upstream.KindBedrock, ID: imported, Body: upstream.BodyChat}, upstream.WireChat, upstream.TakesTools},
		{upstream.Model{Kind: upstream.KindBedrock, ID: imported, Wire: upstream.WireConverse, Body: upstream.BodyChat}, upstream.WireConverse, upstream.NoToolAPI},
		{upstream.Model{Kind: upstream.KindBedrock}, "", upstream.PassesRequest}, // the id is not known yet
		{upstream.Model{Kind: upstream.KindVertex, ID: "claude-opus-4-6"}, upstream.WireMessages, upstream.PassesRequest},
		{upstream.Model{Kind: upstream.KindVertex, ID: llama}, upstream.WireChat, upstream.TakesTools},
		{upstream.Model{Kind: upstream.KindVertex, ID: "endpoints/7", Wire: upstream.WirePrompt}, upstream.WirePrompt, upstream.NoToolAPI},
		{upstream.Model{Kind: upstream.KindVertex}, "", upstream.PassesRequest},
		{upstream.Model{Kind: upstream.KindOpenAI}, upstream.WireChat, upstream.TakesTools},
		{upstream.Model{Kind: upstream.KindOpenAI, ID: "m", Wire: upstream.WirePrompt}, upstream.WirePrompt, upstream.NoToolAPI},
		{upstream.Model{Kind: upstream.KindAnthropic}, upstream.WireMessages, upstream.PassesRequest},
		{upstream.Model{Kind: upstream.KindSimulated, ID: "claude"}, "", upstream.NoToolAPI},
		{upstream.Model{ID: imported}, upstream.WirePrompt, upstream.NoToolAPI},
	} {
		if got := tt.model.Described(); got.Wire != tt.wire || got.Tools != tt.tools {
			t.Errorf("%+v: wire %q, tools %d", tt.model, got.Wire, got.Tools)
		}
	}
	byWire := upstream.Model{Kind: upstream.KindVertex, ID: llama, Wire: upstream.WireChat}.Described()
	if byID := (upstream.Model{Kind: upstream.KindVertex, ID: llama}).Described(); byID.Can != byWire.Can {
		t.Errorf("the features depend on who says the wire: %v, %v", byID.Can, byWire.Can)
	}
}
