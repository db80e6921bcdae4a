package upstream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"mime"
	"net"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate"
	"dragoman/translate/messages"
)

const (
	anthropicVersion = "2023-06-01"
	// maxErrorBody bounds how much of a refusal is read, in bytes.
	maxErrorBody = 64 << 10
	// maxErrorText bounds how much of a refusal in plain words is passed on.
	maxErrorText = 500
)

// AnthropicOptions say how to reach a server with the Messages API.
type AnthropicOptions struct {
	// BaseURL may end in /v1, in a slash, or in neither.
	BaseURL string
	// APIKey is sent as x-api-key; "" sends none.
	APIKey string
	// Connect is how long it may take to reach the server.
	Connect Connect
	// HTTPClient replaces the client with the settings of this package. Either
	// way redirects are not followed: they would take the key elsewhere.
	HTTPClient *http.Client
}

// Anthropic invokes models on any server with the Messages API
// (reference/messages-api.md), always streaming.
type Anthropic struct {
	messages, tokens resource
}

// NewAnthropic checks the options; it does not touch the network.
func NewAnthropic(opt AnthropicOptions) (*Anthropic, error) {
	base, err := parseBase(opt.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("anthropic base_url: %w", err)
	}
	if !isKey(opt.APIKey) {
		return nil, errors.New("anthropic api_key: holds a blank, a control character or a character outside ASCII")
	}
	header := func(h http.Header) {
		h.Set("anthropic-version", anthropicVersion)
		if opt.APIKey != "" {
			h.Set("x-api-key", opt.APIKey)
		}
	}
	messages := resource{withVersion(base) + "/messages", header, clientOf(opt.HTTPClient, opt.Connect)}
	tokens := messages
	tokens.url += "/count_tokens"
	return &Anthropic{messages, tokens}, nil
}

// isKey tells whether s can stand in a header as it is.
func isKey(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r >= 0x7f })
}

// clientOf returns the client, or one of our own for nil, that takes a redirect
// for the answer.
func clientOf(client *http.Client, connect Connect) *http.Client {
	if client == nil {
		client = &http.Client{Transport: newTransport(connect)}
	}
	return withoutRedirects(client)
}

func newTransport(connect Connect) *http.Transport {
	dialer := new(net.Dialer)
	connect.dialer(dialer)
	t := &http.Transport{
		Proxy:             http.ProxyFromEnvironment,
		DialContext:       dialer.DialContext,
		ForceAttemptHTTP2: true,
	}
	connect.transport(t)
	return t
}

// Invoke sends the prompt to the model of this name.
func (a *Anthropic) Invoke(ctx context.Context, m Model, p *translate.Prompt) iter.Seq2[translate.Chunk, error] {
	return stream(ctx, a.messages, func() ([]byte, error) {
		return messagesBody{Model: m.ID, Stream: true, cache: m.Can.Has(Caching)}.encode(p)
	}, new(messagesDecoder).decode)
}

// Passes reports whether Pass can be asked for the model: every one, here.
func (a *Anthropic) Passes(Model) bool { return true }

// Pass sends the request of a client to the model of this name, which has tools of
// its own.
func (a *Anthropic) Pass(ctx context.Context, m Model, n Native) iter.Seq2[messages.Event, error] {
	return stream(ctx, a.messages.with(n.header(true)), func() ([]byte, error) {
		return n.encode(map[string]jsontext.Value{"model": asJSON(m.ID), "stream": jsontext.Value("true")}), nil
	}, new(nativeDecoder).decode)
}

// Count returns how many tokens the prompt has (reference/messages-api.md §11).
func (a *Anthropic) Count(ctx context.Context, m Model, p *translate.Prompt) (int, error) {
	body, err := messagesBody{Model: m.ID}.encode(p)
	if err != nil {
		return 0, err
	}
	return a.tokens.count(ctx, countBody(body, nil))
}

// CountNative returns how many tokens the request of a client has.
func (a *Anthropic) CountNative(ctx context.Context, m Model, n Native) (int, error) {
	tokens := a.tokens.with(n.header(true))
	return tokens.count(ctx, countBody(n.Body, map[string]jsontext.Value{"model": asJSON(m.ID), memberVersion: nil, memberBetas: nil}))
}

// stream sends the body that encode makes, and yields what decode makes of the
// Messages stream that comes back.
func stream[P portion](ctx context.Context, r resource, encode func() ([]byte, error), decode func([]byte) (P, error)) iter.Seq2[P, error] {
	return invoke(ctx, func(ctx context.Context, cancel context.CancelFunc, yield func(P, error) bool) {
		body, err := encode()
		var response *http.Response
		if err == nil {
			response, err = r.post(ctx, body, bodyError, "text/event-stream")
		}
		if err != nil {
			var none P
			yield(none, err)
			return
		}
		defer response.Body.Close()
		if decodeStream(newSSEReader(response.Body).payloads(), decode, withRequestID(requestID(response.Header), yield)) {
			drain(response.Body, cancel)
		}
	})
}

// bodyError maps a response that is not an event stream.
func bodyError(status int, kind string, body []byte) *Error {
	if e := googleError(body); e != nil {
		return e
	}
	var shaped struct {
		Type      string        `json:"type"`
		Error     messagesError `json:"error"`
		RequestID string        `json:"request_id"`
	}
	if json.Unmarshal(body, &shaped, lenient) == nil && shaped.Error.Type != "" && (status >= 400 || shaped.Type == "error") {
		e := apiError(shaped.Error.Type, shaped.Error.Message, status)
		e.RequestID = shaped.RequestID
		return e
	}
	return noAnswer(status, kind, body)
}

// noAnswer maps a response whose body has no error that we can read.
func noAnswer(status int, kind string, body []byte) *Error {
	if status >= 400 {
		return statusError(status, plainText(kind, body))
	}
	if status >= 300 {
		return gatewayError(fmt.Sprintf("the upstream answered with status %d, a redirect that is not followed", status), nil)
	}
	return gatewayError(fmt.Sprintf("the upstream answered with status %d, but not with an event stream", status),
		fmt.Errorf("content type %q", kind))
}

// mediaType returns the type of a response's body, "" if it names none.
func mediaType(r *http.Response) string {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("content-type"))
	return kind
}

// requestID returns the upstream's id of a request, by either of its names.
func requestID(h http.Header) string {
	return cmp.Or(h.Get("request-id"), h.Get("x-request-id"))
}

// plainText returns what a refusal says in words: the message of some other JSON
// error, or a short plain text. A page of HTML says nothing to an API's client.
func plainText(kind string, body []byte) string {
	var other struct {
		Message string `json:"message"`
		Error   struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	text := ""
	if json.Unmarshal(body, &other, lenient) == nil {
		text = cmp.Or(other.Error.Message, other.Message)
	} else if kind == "text/plain" && utf8.Valid(body) {
		text = strings.TrimSpace(string(body))
	}
	if len(text) > maxErrorText {
		text = strings.ToValidUTF8(text[:maxErrorText], "") + "…"
	}
	return text
}
