package proxy

import (
	"net/http"
	"strconv"

	"github.com/go-json-experiment/json"

	"dragoman/translate"
)

// dryRun tells whether the client wants to see the prompt, and nobody to be asked. What
// it says otherwise is an error: it may have meant just that.
func (x *exchange) dryRun() (bool, error) {
	value := x.r.Header.Get("X-Dragoman-Dry-Run")
	if value == "" {
		return false, nil
	}
	dry, err := strconv.ParseBool(value)
	if err != nil {
		return false, invalidRequest("x-dragoman-dry-run: write 1 to see the prompt without calling anything, or leave the header out")
	}
	return dry, nil
}

// show answers with the prompt that the way would be asked.
func (x *exchange) showPrompt(body *translate.Body, way UpstreamModel) error {
	x.w.Header().Set("X-Dragoman-Upstream", way.Upstream)
	req, err := x.decode(body)
	if err != nil {
		return err
	}
	prompt, err := x.render(req, way, way.Spec())
	if err != nil {
		return err
	}
	data, err := json.Marshal(prompt)
	if err != nil {
		return err
	}
	return x.respond(http.StatusOK, data)
}
