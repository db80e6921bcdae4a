package proxy

import (
	"net/http"
	"strconv"

	"dragoman/translate/messages"
)

// dryRun reports whether the client wants to see the prompt without a call of an
// upstream. A value of the header that is no boolean is an error, and not false: the
// client may have meant that nothing is to be called.
func dryRun(request http.Header) (bool, error) {
	value := request.Get("X-Dragoman-Dry-Run")
	if value == "" {
		return false, nil
	}
	dry, err := strconv.ParseBool(value)
	if err != nil {
		return false, invalidField("x-dragoman-dry-run", "write 1 to see the prompt without calling anything, or leave the header out")
	}
	return dry, nil
}

// showPrompt answers with the prompt that the model would be asked, in JSON, or with the request that
// would go through to its tool API (see [Plan.JSON]).
func (x *exchange) showPrompt(body *messages.Body, m UpstreamModel) error {
	p, err := x.preview(body, m)
	if err != nil {
		return err
	}
	data, err := p.JSON(x.r.Context())
	if err != nil {
		return err
	}
	return x.reply.respond(http.StatusOK, data)
}
