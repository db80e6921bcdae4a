package upstreamtest

import (
	"fmt"
	"net/http"
	"strings"

	"dragoman/translate"
)

// Deployed is an endpoint of Vertex AI with a model that a user deployed (docs/reference/raw-prompts.md §3).
type Deployed struct {
	Model string // its display name
	Host  string // the host of a dedicated endpoint; "" for the shared host
}

// describe answers GET of an endpoint.
func (v *Vertex) describe(w http.ResponseWriter, r *http.Request, _ []byte) {
	d, found := v.Deployed[r.PathValue("endpoint")]
	if !found {
		refuseGoogle(w, Refuse(http.StatusForbidden, "PERMISSION_DENIED", "Permission 'aiplatform.endpoints.get' denied", ""))
		return
	}
	writeList(w, map[string]any{
		"name": r.URL.Path, "displayName": "mine", "dedicatedEndpointEnabled": d.Host != "", "dedicatedEndpointDns": d.Host,
		"deployedModels": []map[string]any{{"id": "1", "displayName": d.Model}},
	})
}

// deployed answers a method of an endpoint: the container's completions, or :predict.
func (v *Vertex) deployed(w http.ResponseWriter, r *http.Request, data []byte) {
	id, method, _ := strings.Cut(r.PathValue("call"), ":")
	r.SetPathValue("endpoint", id)
	if d := v.Deployed[id]; d.Host != "" && r.Host != d.Host {
		refuseGoogle(w, Refuse(http.StatusBadRequest, "FAILED_PRECONDITION", "This endpoint is a dedicated endpoint and cannot be accessed through the shared domain.", ""))
		return
	}
	switch method {
	case "rawPredict", "streamRawPredict":
		v.own.completions(w, r, data)
	case "predict":
		v.predict(w, id, r, data)
	default:
		refuseGoogle(w, Refuse(http.StatusNotFound, "NOT_FOUND", "no such method", ""))
	}
}

// predict answers like the container of vLLM: the prompt comes before the text.
func (v *Vertex) predict(w http.ResponseWriter, id string, r *http.Request, data []byte) {
	var body struct {
		Instances []struct {
			completionsBody
			Raw bool `json:"raw_response"`
		} `json:"instances"`
	}
	problem := decode(data, &body)
	var prompt *translate.Prompt
	switch {
	case problem != nil:
	case len(body.Instances) != 1:
		problem = &malformed{key: "instances", missing: true}
	default:
		prompt, problem = body.Instances[0].prompt(true)
	}
	if problem != nil {
		refuseGoogle(w, Refuse(http.StatusBadRequest, "INVALID_ARGUMENT", problem.chat(), ""))
		return
	}
	v.add(Request{Model: id, Header: r.Header.Clone(), Body: data, Prompt: prompt})
	c, ok := v.own.completion(w, id, prompt, false)
	if !ok {
		return
	}
	text := fmt.Sprintf("Prompt:\n%s\nOutput:\n%s", *body.Instances[0].Prompt, c.Text)
	untilEnd(func() {
		v.play(r.Context(), &wholeFrames{w, newBody(w, c)}, []event{{data: fmt.Appendf(nil, `{"predictions":[%s],"deployedModelId":"1","model":"m"}`, quote(text))}}, c.Fault)
	})
}
