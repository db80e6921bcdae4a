package upstream

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"strings"

	"dragoman/translate"
)

// OpenAIOptions say how to reach a server with chat completions.
type OpenAIOptions struct {
	// BaseURL is the part of the URL before /chat/completions, with or without a slash at
	// its end: "http://127.0.0.1:11434/v1".
	BaseURL string
	// APIKey is sent as a bearer token; "" sends none.
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

// OpenAI asks models on any server with chat completions: vLLM, Ollama, llama.cpp, LM
// Studio, OpenRouter and others. It sends no tools.
type OpenAI struct {
	chat chatClient
}

// NewOpenAI returns an upstream with these options, or an error that names the option
// that makes no sense. It does not touch the network.
func NewOpenAI(opt OpenAIOptions) (*OpenAI, error) {
	base, err := parseBase(opt.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("openai base_url: %w", err)
	}
	if !isKey(opt.APIKey) {
		return nil, errors.New("openai api_key: holds a blank, a control character or a character outside ASCII")
	}
	header := func(h http.Header) {
		if opt.APIKey != "" {
			h.Set("authorization", "Bearer "+opt.APIKey)
		}
	}
	url := strings.TrimRight(base.String(), "/") + "/chat/completions"
	client := clientOf(opt.HTTPClient, opt.Connect, opt.Roots)
	client.Transport = opt.OnRequest.over(client.Transport)
	return &OpenAI{chatClient{completions: endpoint{url, header, client}}}, nil
}

// Close is for when nothing more will be asked: it closes the connections that are kept.
func (o *OpenAI) Close() { o.chat.completions.client.CloseIdleConnections() }

// Invoke sends the prompt to the model of this name and returns its answer.
func (o *OpenAI) Invoke(ctx context.Context, m Model, p *translate.Prompt) iter.Seq2[translate.Chunk, error] {
	return o.chat.invoke(ctx, m, p)
}

// Request returns what Invoke would send.
func (o *OpenAI) Request(ctx context.Context, m Model, p *translate.Prompt) (Request, error) {
	return o.chat.show(ctx, m, p)
}
