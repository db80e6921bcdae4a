package upstream

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// ServerOptions say how to reach a server.
type ServerOptions struct {
	// BaseURL of a server with the Messages API may end in /v1, in a slash, or in neither. For chat
	// completions, it is the part before /chat/completions: "http://127.0.0.1:11434/v1".
	BaseURL string
	// APIKey is sent as x-api-key to the Messages API, and as a bearer token to chat completions; "" sends no
	// key.
	APIKey string
	// Connect limits the time to reach the server.
	Connect Connect
	// Roots are the authorities that may sign the server's certificate; nil for the system's.
	Roots *x509.CertPool
	// HTTPClient replaces this package's own client; optional. Either way, redirects are not followed: they
	// would send the key to another server.
	HTTPClient *http.Client
	// OnRequest is called before each request; optional.
	OnRequest OnRequest
}

// Server asks models on any server with the Messages API (docs/reference/messages-api.md §2), or with
// chat completions: vLLM, Ollama, llama.cpp, LM Studio, OpenRouter and others.
type Server struct {
	kind  Kind     // KindAnthropic or KindOpenAI
	base  endpoint // its URL is the common start of all paths
	names *resolver
}

// NewAnthropic returns a server with the Messages API, or an error that names the invalid option. It does not
// touch the network.
func NewAnthropic(opt ServerOptions) (*Server, error) {
	return newServer(opt, KindAnthropic, func(h http.Header) {
		// Prompts are written for this version. A client's own request may replace it: see Native.header.
		h.Set("anthropic-version", messages.Version20230601)
		if opt.APIKey != "" {
			h.Set("x-api-key", opt.APIKey)
		}
	})
}

// NewOpenAI returns a server with chat completions, or an error that names the invalid option. It does not
// touch the network.
func NewOpenAI(opt ServerOptions) (*Server, error) {
	return newServer(opt, KindOpenAI, func(h http.Header) {
		if opt.APIKey != "" {
			h.Set("authorization", "Bearer "+opt.APIKey)
		}
	})
}

func newServer(opt ServerOptions, kind Kind, header func(http.Header)) (*Server, error) {
	base, err := parseBase(opt.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("%s base_url: %w", kind, err)
	}
	if !isKey(opt.APIKey) {
		return nil, errors.New(string(kind) + " api_key: holds a blank, a control character or a character outside ASCII. Copy the key again")
	}
	url := strings.TrimRight(base.String(), "/")
	if kind == KindAnthropic {
		url = withVersion(base)
	}
	client := clientOf(opt.HTTPClient, opt.Connect, opt.Roots)
	client.Transport = opt.OnRequest.over(client.Transport)
	return &Server{kind: kind, base: endpoint{url, header, client, opt.APIKey}, names: newResolver()}, nil
}

// Close closes the idle connections, and ends the requests that still ask the server about its models. Call
// it when no more requests will come.
func (s *Server) Close() {
	s.names.close()
	s.base.client.CloseIdleConnections()
}

// at returns the endpoint for a path of the server.
func (s *Server) at(path string) endpoint {
	e := s.base
	e.url += path
	return e
}

// Prepare returns the call that sends the model a prompt.
func (s *Server) Prepare(m Model, p *translate.Prompt) (*Call, error) {
	switch m.Kind = s.kind; m.wire() {
	case WirePrompt:
		return s.prepareRaw(m, p)
	case WireChat:
		return chatCall(s.at("/chat/completions"), m, p, false)
	}
	body, err := messagesBody{Model: m.ID, Stream: true, cache: m.Can.Has(Caching)}.encode(p)
	if err != nil {
		return nil, err
	}
	return messagesCall(s.at("/messages"), &sentBody{body}, s.at("/messages/count_tokens"), nil, p), nil
}

// PrepareNative returns the call that passes a client's request to a model with a tool API of its own.
func (s *Server) PrepareNative(m Model, n Native) (*Call, error) {
	if s.kind != KindAnthropic {
		return nil, errNoToolAPI
	}
	body := n.encode(map[string]jsontext.Value{"model": asJSON(m.ID), "stream": jsontext.Value("true")})
	header := n.header(true)
	return nativeCall(s.at("/messages").with(header), &sentBody{body}, s.at("/messages/count_tokens").with(header), nil), nil
}

// Resolve returns what the server tells about the model that it runs under a name. The first call for a name
// asks the server in the background; until the server has answered, Resolve returns nothing. In two cases
// Resolve waits for the first answer: a raw prompt needs the model's template, and a constraint needs the
// name of the server. Resolve does not ask servers with the Messages API.
func (s *Server) Resolve(ctx context.Context, m Model) Resolved {
	switch {
	case s.kind != KindOpenAI:
		return Resolved{}
	case m.Wire == WirePrompt, m.Can.Has(Guided):
		return s.names.wait(ctx, m.ID, s.askServer)
	}
	return s.names.of(m.ID, s.askServer)
}

// ListModels returns the models of the server. The list of chat completions has no pages.
func (s *Server) ListModels(ctx context.Context) ([]Listed, error) {
	query, fail := "", readChatError
	if s.kind == KindAnthropic {
		query, fail = "?limit=1000", readMessagesError
	}
	models, err := s.listPages(ctx, "/models"+query, fail)
	return models, hideKey(err, s.base.key)
}
