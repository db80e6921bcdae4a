package proxy

import (
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/rawjson"
	"dragoman/upstream"
)

// PassesTo returns up as the upstream to which requests for the model go through as they are, nil if the
// model is asked with a prompt. Whoever asks, counts or shows what would be asked decides by it. It is an
// error if the entry wants the former, and the model has no tool API.
func (m UpstreamModel) PassesTo(up Upstream, spec upstream.Model) (NativeUpstream, error) {
	native, ok := up.(NativeUpstream)
	switch {
	case !ok || !m.usesToolAPI(spec):
		return nil, nil
	case native.Passes(spec):
		return native, nil
	case m.Tools == ToolsNative:
		return nil, invalidField("model", clip(m.Model)+" has no tool API that a request could go through to; ask it with tools: xml")
	}
	return nil, nil
}

// NativeJSON is what is shown in the place of a prompt of a request that goes through as it is, to
// an upstream that is sent this body.
func NativeJSON(body []byte) []byte {
	return rawjson.WithMembers([]byte(`{"tools":"native"}`), map[string]jsontext.Value{"body": body})
}
