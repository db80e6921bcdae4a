package upstream

import (
	"context"
	"fmt"
	"iter"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// Models that users deployed to endpoints of Vertex AI (docs/reference/raw-prompts.md §3).

// deployedPath begins the id of such an endpoint within the upstream's project and location.
const deployedPath = "endpoints/"

// isDeployed reports whether an id names an endpoint: "endpoints/ID", or its full path.
func isDeployed(id string) bool {
	return strings.HasPrefix(id, deployedPath) || strings.HasPrefix(id, "projects/") && strings.Contains(id, "/"+deployedPath)
}

// deployed is an endpoint with a model that a user deployed.
type deployed struct {
	path string // the path in the API: projects/P/locations/L/endpoints/ID
	base string // the URL of the API at the location
}

// deployedAt returns the endpoint that an id names. For any other id the error is an [*Error].
func (v *Vertex) deployedAt(id string) (d deployed, err error) {
	opt := v.opt
	parts := strings.Split(id, "/")
	switch {
	case len(parts) == 2 && parts[0]+"/" == deployedPath:
	case len(parts) == 6 && parts[0] == "projects" && parts[2] == "locations" && parts[4]+"/" == deployedPath:
		opt.Project, opt.Location = parts[1], parts[3]
	default:
		parts = []string{""}
	}
	name := parts[len(parts)-1]
	if d.base, err = vertexBase(opt); err != nil || !isVertexModel(name) {
		return d, invalidRequest.error(fmt.Sprintf("model: %.64q is not an endpoint on Vertex AI: write endpoints/ID, or projects/PROJECT/locations/LOCATION/endpoints/ID", id))
	}
	d.path = "projects/" + opt.Project + "/locations/" + opt.Location + "/" + deployedPath + name
	return d, nil
}

// prepareDeployed returns the call that asks the model of an endpoint, over chat completions or with a raw
// prompt. A raw prompt goes to the route of the container, which does not change it.
func (v *Vertex) prepareDeployed(m Model, p *translate.Prompt) (*Call, error) {
	d, err := v.deployedAt(m.ID)
	if err != nil {
		return nil, err
	}
	if m.Server != "" {
		d.base = "https://" + m.Server + "/v1"
	}
	e := endpoint{url: d.base + "/" + d.path, client: v.client}
	m.ID, m.Server = "", "" // they are in the URL
	if m.Wire == WireChat {
		e.url += "/chat/completions"
		return chatCall(e, m, p, false)
	}
	r, err := newRawPrompt(p)
	if err != nil {
		return nil, err
	}
	switch {
	case m.Body == BodyPredict:
		return predictCall(e.to(":predict"), r)
	case m.Can.Has(Streaming):
		return rawCall(e.to(":streamRawPredict"), r, r.server(m), sseStream)
	}
	return rawCall(e.to(":rawPredict"), r, r.server(m), sseStream)
}

// to returns the endpoint with more at the end of its URL.
func (e endpoint) to(more string) endpoint {
	e.url += more
	return e
}

// Resolve returns what Vertex tells about the model behind a deployed endpoint. The first call for an
// endpoint waits, because an endpoint may have its own host. Vertex is asked once. Other ids already tell the
// family.
func (v *Vertex) Resolve(ctx context.Context, m Model) Resolved {
	if !isDeployed(m.ID) {
		return Resolved{}
	}
	return v.names.wait(ctx, m.ID, v.askEndpoint)
}

// askEndpoint asks Vertex which model an endpoint has, and at which host it answers.
func (v *Vertex) askEndpoint(ctx context.Context, id string) (Resolved, error) {
	d, err := v.deployedAt(id)
	if err != nil {
		return Resolved{}, nil
	}
	var said struct {
		Name      string `json:"displayName"`
		DNS       string `json:"dedicatedEndpointDns"`
		Dedicated bool   `json:"dedicatedEndpointEnabled"`
		Models    []struct {
			Name string `json:"displayName"`
		} `json:"deployedModels"`
	}
	e := endpoint{client: v.client}
	if err := e.read(ctx, d.base+"/"+d.path, readChatError, &said); err != nil {
		return Resolved{}, unlessTold(err)
	}
	r := Resolved{Model: said.Name}
	if said.Dedicated && isVertexHost(said.DNS) && v.opt.Endpoint == "" { // the shared host rejects requests for it
		r.Server = said.DNS
	}
	for _, m := range said.Models {
		if _, known := translate.ChatTemplateFor(m.Name); known {
			r.Model = m.Name
			break
		}
	}
	return r, nil
}

// isVertexHost reports whether host belongs to endpoints of Vertex AI, so that it may get access tokens.
func isVertexHost(host string) bool {
	u, err := url.Parse("https://" + host)
	return err == nil && u.Host == host && strings.HasSuffix(host, ".prediction.vertexai.goog")
}

// predictBody is the body of :predict.
type predictBody struct {
	Instances [1]predictInstance `json:"instances"`
}

type predictInstance struct {
	Prompt    string `json:"prompt"`
	MaxTokens int    `json:"max_tokens"`
	sampling
	Stop []string `json:"stop,omitempty"`
	Raw  bool     `json:"raw_response"`
}

// predictCall returns the call that sends a raw prompt to :predict. The answer is not streamed. It has no
// token counts and no stop reason.
func predictCall(e endpoint, r *rawPrompt) (*Call, error) {
	data, err := encodeBody(predictBody{[1]predictInstance{{r.Text, r.prompt.MaxTokens, samplingOf(r.prompt), r.stops(), true}}})
	if err != nil {
		return nil, err
	}
	sent := &sentBody{data}
	return &Call{
		Chunks: func(ctx context.Context) iter.Seq2[translate.Chunk, error] {
			read := func(body []byte) (translate.Chunk, error) { return readPrediction(r, body) }
			return watchRaw(r, streamChat(ctx, e, sent, readChatError, answerReader{sseStream, read, read, unchanged}))
		},
		Show: func(ctx context.Context) (Request, error) { return e.show(ctx, WirePrompt, sent.data) },
	}, nil
}

// fewestBytes is the fewest bytes that a token of a text takes on average. English has 4 to 5, and code and JSON 2 to 4.
const fewestBytes = 2

// readPrediction returns the answer of :predict, which may repeat the prompt before the text. It says nothing of its end:
// if the text may have as many tokens as the request allows, the answer may be cut, and must not look finished.
func readPrediction(r *rawPrompt, body []byte) (translate.Chunk, error) {
	var answer struct {
		Predictions []string `json:"predictions"`
	}
	if err := json.Unmarshal(body, &answer, lenient); err != nil || len(answer.Predictions) == 0 {
		return translate.Chunk{}, unreadableEvent(body, err)
	}
	text := answer.Predictions[0]
	if rest, found := strings.CutPrefix(text, "Prompt:\n"+r.Text+"\nOutput:\n"); found {
		text = strings.TrimPrefix(rest, r.Text)
	}
	stop := messages.StopEndTurn
	if len(text) >= fewestBytes*r.prompt.MaxTokens {
		stop = messages.StopMaxTokens
	}
	return translate.Chunk{Text: text, Stop: stop}, nil
}
