package proxy

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream"
)

// leftOut takes down which fields of the request the way that is asked leaves out.
func (x *exchange) leftOut(fields []string) {
	fields = slices.Concat(x.own.names(fields), x.unheeded)
	slices.Sort(fields)
	fields = slices.Compact(fields)
	x.record.Dropped = slices.Clone(fields)
	if len(fields) == 0 {
		x.w.Header().Del("X-Dragoman-Dropped")
		return
	}
	x.w.Header().Set("X-Dragoman-Dropped", printable(fields))
}

// render makes the prompt for a model as it is asked.
func (x *exchange) render(req *messages.Request, w Way, asked upstream.Model) (*translate.Prompt, error) {
	can := asked.Can
	began := x.elapsed()
	p, err := translate.RenderContext(x.r.Context(), req, w.Target(asked))
	x.record.Render += x.elapsed() - began
	if err != nil {
		return nil, reason(x.r.Context(), err)
	}
	if err := w.hides(p); err != nil {
		return nil, x.own.called(err)
	}
	if p.MaxTokens < req.MaxTokens && !x.own.lengthOpen() {
		if x.s.strict {
			return nil, x.own.called(&messages.InvalidRequestError{
				Path:    "max_tokens",
				Message: fmt.Sprintf("%d > %d, which is the maximum allowed number of output tokens for %s", req.MaxTokens, p.MaxTokens, clip(w.Model)),
			})
		}
		x.leaveOut("max_tokens", true)
	}
	if !can.Has(upstream.Sampling) {
		x.leaveOut("temperature", p.Temperature != nil)
		x.leaveOut("top_p", p.TopP != nil)
		p.Temperature, p.TopP = nil, nil
	}
	if !can.Has(upstream.TopK) {
		x.leaveOut("top_k", p.TopK != nil)
		p.TopK = nil
	}
	if x.s.strict && len(x.record.Dropped) > 0 {
		return nil, &messages.InvalidRequestError{Path: x.record.Dropped[0], Message: "this model does not take it"}
	}
	return p, nil
}

// leaveOut takes down that a field of the request does not reach the model.
func (x *exchange) leaveOut(field string, given bool) {
	if given && !slices.Contains(x.record.Dropped, field) {
		x.leftOut(append(x.record.Dropped, field))
	}
}

// show answers with the prompt that the way would be asked.
func (x *exchange) show(body *messages.Body, way Way) error {
	x.w.Header().Set("X-Dragoman-Upstream", way.Upstream)
	req, err := x.decode(body)
	if err != nil {
		return err
	}
	prompt, err := x.render(req, way, way.Asked())
	if err != nil {
		return err
	}
	data, err := json.Marshal(prompt)
	if err != nil {
		return err
	}
	return x.write(http.StatusOK, data)
}

// printable lists names for a header. They are the client's own; those that
// would not be read back as one name are left out.
func printable(names []string) string {
	const most, longest = 50, 100
	var list []string
	for _, name := range names[:min(len(names), most)] {
		if len(name) <= longest && strings.Trim(name, alphanumeric+"-_.") == "" {
			list = append(list, name)
		}
	}
	return strings.Join(list, ",")
}
