package upstream

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"iter"
	"net/http"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// AnthropicOptions say how to reach a server with the Messages API.
type AnthropicOptions struct {
	// BaseURL may end in /v1, in a slash, or in neither.
	BaseURL string
	// APIKey is sent as x-api-key; "" sends none.
	APIKey string
	// Connect is how long it may take to reach the server.
	Connect Connect
	// Roots are the authorities of the server's certificate; nil for the system's.
	Roots *x509.CertPool
	// HTTPClient replaces the client with the settings of this package; nil is that client.
	// Redirects are not followed either way: they would take the key elsewhere.
	HTTPClient *http.Client
	// OnRequest, if it is not nil, is called before each request.
	OnRequest OnRequest
}

// Anthropic asks models on any server with the Messages API
// (docs/reference/messages-api.md §2), always for a stream.
type Anthropic struct {
	messages, tokens endpoint
}

// NewAnthropic returns an upstream with these options, or an error that names the option
// that makes no sense. It does not touch the network.
func NewAnthropic(opt AnthropicOptions) (*Anthropic, error) {
	base, err := parseBase(opt.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("anthropic base_url: %w", err)
	}
	if !isKey(opt.APIKey) {
		return nil, errors.New("anthropic api_key: holds a blank, a control character or a character outside ASCII")
	}
	header := func(h http.Header) {
		// A prompt is written for this version. The request of a client may replace it: see Native.header.
		h.Set("anthropic-version", messages.Version20230601)
		if opt.APIKey != "" {
			h.Set("x-api-key", opt.APIKey)
		}
	}
	client := clientOf(opt.HTTPClient, opt.Connect, opt.Roots)
	client.Transport = opt.OnRequest.over(client.Transport)
	ask := endpoint{withVersion(base) + "/messages", header, client}
	count := ask
	count.url += "/count_tokens"
	return &Anthropic{messages: ask, tokens: count}, nil
}

// Close is for when nothing more will be asked: it closes the connections that are kept.
func (a *Anthropic) Close() { a.messages.client.CloseIdleConnections() }

// Invoke sends the prompt to the model of this name and returns its answer.
func (a *Anthropic) Invoke(ctx context.Context, m Model, p *translate.Prompt) iter.Seq2[translate.Chunk, error] {
	return streamMessages(ctx, a.messages, func() ([]byte, error) { return a.encode(m, p) }, newMessagesDecoder(p).decode)
}

func (a *Anthropic) encode(m Model, p *translate.Prompt) ([]byte, error) {
	return messagesBody{Model: m.ID, Stream: true, cache: m.Can.Has(Caching)}.encode(p)
}

// Request returns what Invoke would send.
func (a *Anthropic) Request(ctx context.Context, m Model, p *translate.Prompt) (Request, error) {
	body, err := a.encode(m, p)
	return a.messages.show(ctx, wireMessages, body, err)
}

// Passes reports whether the model can be asked with Pass. Every model on this wire can.
func (a *Anthropic) Passes(Model) bool { return true }

// Pass sends the request of a client to the model of this name, which has tools of its
// own, and returns the events of its answer. Failures are those of Invoke.
func (a *Anthropic) Pass(ctx context.Context, m Model, n Native) iter.Seq2[messages.Event, error] {
	return streamMessages(ctx, a.messages.with(n.header(true)), func() ([]byte, error) { return a.encodeNative(m, n), nil }, new(nativeDecoder).decode)
}

func (a *Anthropic) encodeNative(m Model, n Native) []byte {
	return n.encode(map[string]jsontext.Value{"model": asJSON(m.ID), "stream": jsontext.Value("true")})
}

// NativeRequest returns what Pass would send.
func (a *Anthropic) NativeRequest(ctx context.Context, m Model, n Native) (Request, error) {
	e := a.messages.with(n.header(true))
	return e.show(ctx, wireMessages, a.encodeNative(m, n), nil)
}

// Count returns how many tokens the prompt has (docs/reference/messages-api.md §11). The
// error is an [*Error].
func (a *Anthropic) Count(ctx context.Context, m Model, p *translate.Prompt) (int, error) {
	body, err := messagesBody{Model: m.ID}.encode(p)
	if err != nil {
		return 0, err
	}
	return a.tokens.count(ctx, countBody(body, nil))
}

// CountNative returns how many tokens the request of a client has. The error is an
// [*Error].
func (a *Anthropic) CountNative(ctx context.Context, m Model, n Native) (int, error) {
	tokens := a.tokens.with(n.header(true))
	return tokens.count(ctx, countBody(n.Body, map[string]jsontext.Value{"model": asJSON(m.ID), memberVersion: nil, memberBetas: nil}))
}
