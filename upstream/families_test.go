package upstream_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream"
)

var updateFamilies = flag.Bool("update-families", false, "write what is sent into testdata/families.txtar")

// TestFamilies checks the request body of each family for one conversation with tools, a system text, a past
// call and its result. It compares every byte, because the prompt decides how well models call tools.
func TestFamilies(t *testing.T) {
	const golden = "testdata/families.txtar"
	archive, err := txtar.ParseFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	req, err := messages.Decode(archive.Files[0].Data, messages.DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	families := map[string]struct {
		model, format string
		over          func(*upstream.Bedrock) invoker
	}{
		"claude-2-text":     {"anthropic.claude-v2:1", translate.FormatLegacy, func(b *upstream.Bedrock) invoker { return overWire{b, upstream.WireText} }},
		"claude-3-messages": {"anthropic.claude-3-haiku-20240307-v1:0", translate.FormatLegacy, func(b *upstream.Bedrock) invoker { return b }},
		"converse-nova":     {"amazon.nova-lite-v1:0", translate.FormatLegacy, func(b *upstream.Bedrock) invoker { return overWire{b, upstream.WireConverse} }},
		"converse-titan":    {"amazon.titan-text-express-v1", translate.FormatAttribute, func(b *upstream.Bedrock) invoker { return overWire{b, upstream.WireConverse} }},
		"converse-llama":    {"meta.llama3-70b-instruct-v1:0", translate.FormatJSON, func(b *upstream.Bedrock) invoker { return overWire{b, upstream.WireConverse} }},
	}
	got := &txtar.Archive{Comment: archive.Comment, Files: archive.Files[:1:1]}
	for _, name := range []string{"claude-2-text", "claude-3-messages", "converse-nova", "converse-titan", "converse-llama"} {
		family := families[name]
		model := upstream.Model{ID: family.model, Can: upstream.FeaturesOf(family.model)}
		text := name == "claude-2-text"
		prompt, err := translate.Render(req, translate.Target{ModelOptions: translate.ModelOptions{Format: family.format}, Prefill: text || model.Can.Has(upstream.Prefill), TextWire: text})
		if err != nil {
			t.Fatal(err)
		}
		got.Files = append(got.Files, txtar.File{Name: name, Data: sent(t, family.over, model, prompt)})
	}
	if *updateFamilies {
		if err := os.WriteFile(golden, txtar.Format(got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(txtar.Format(archive)), string(txtar.Format(got))); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// sent returns the body of the request that the server gets, indented.
func sent(t *testing.T, over func(*upstream.Bedrock) invoker, model upstream.Model, prompt *translate.Prompt) []byte {
	t.Helper()
	bodies := make(chan []byte, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		bodies <- body
		w.WriteHeader(http.StatusBadRequest)
	}))
	defer server.Close()
	for _, err := range invoke(over(dialBedrock(t, server)), t.Context(), model, prompt) {
		if err == nil {
			t.Error("the server's refusal is no error")
		}
	}
	body := <-bodies
	var indented bytes.Buffer
	if err := json.Indent(&indented, body, "", " "); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	return append(indented.Bytes(), '\n')
}
