package proxy

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/go-chi/chi/v5"

	"dragoman/proxy/nearest"
	"dragoman/translate/messages"
)

// The errors for paths and methods that are not served.

// knownPaths are the paths of the Messages API and of Chat Completions, except those with a model's name.
var knownPaths = []string{"/v1/messages", "/v1/messages/count_tokens", "/v1/models", "/v1/chat/completions"}

// adminPaths are the first path segments of the admin listener.
var adminPaths = []string{"healthz", "readyz", "metrics", "explain", "inspector"}

// nothingAt returns the failure for a path that is not served. It suggests the path that the client may have meant, or
// lists all paths.
func nothingAt(r *http.Request) *failure {
	const nothing, there = "there is nothing at the path", "the paths here are POST /v1/messages, POST /v1/messages/count_tokens, POST /v1/chat/completions and GET /v1/models, " +
		"and the paths of Bedrock (/model/…) and Vertex AI (/v1/projects/…); a client's base URL ends after the port"
	path := clip(r.URL.Path)
	advice := there
	if first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/"); slices.Contains(adminPaths, first) {
		advice = "/" + first + " is on the admin listener, whose address the key admin_listen sets; the default is 127.0.0.1:8485"
	} else if meant := nearest.Word(path, knownPaths); meant != "" {
		advice = "did you mean " + meant + "?"
	}
	return &failure{
		status: http.StatusNotFound, typ: messages.ErrorNotFound,
		message: fmt.Sprintf("%s %s; %s", nothing, path, advice), logged: nothing,
	}
}

// nothingForOperators answers requests to unknown paths of the admin listener.
func (s *Server) nothingForOperators(w http.ResponseWriter, r *http.Request) {
	text := "There is nothing at this path. The admin listener serves /healthz, /readyz, /metrics, /explain and, where it is on, /inspector/. Clients send their requests to the address of the key listen.\n"
	if s.inspector == nil && strings.HasPrefix(r.URL.Path, "/inspector") {
		text = "The inspector is off. Start the server with --inspect, or set inspector: true in its configuration.\n"
	}
	respondText(http.StatusNotFound, text)(w, r)
}

// notFound answers requests to unknown paths.
func notFound(x *exchange) error { return nothingAt(x.r) }

// notServed answers requests to a part of an API that is not supported, and says what to use instead.
func notServed(use string) func(*exchange) error {
	return func(x *exchange) error {
		return &failure{
			status: http.StatusNotFound, typ: messages.ErrorNotFound,
			message: "this part of the API is not served here (" + clip(x.r.URL.Path) + "): " + use,
			logged:  "this part of the API is not served here: " + use,
		}
	}
}

// noOperation answers requests to a Bedrock path that is not an operation.
func noOperation(*exchange) error {
	return &failure{status: http.StatusNotFound, typ: messages.ErrorNotFound, message: "this operation does not exist here; " +
		"use POST /model/ID/invoke, invoke-with-response-stream, converse, converse-stream or count-tokens, and escape a slash in the model's id (%2F)"}
}

// notAllowed answers a request with a method that the path does not support, and names the supported methods (RFC 9110,
// section 15.5.6).
func notAllowed(routes chi.Routes) func(*exchange) error {
	return func(x *exchange) error {
		var takes []string
		for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost} {
			if routes.Match(chi.NewRouteContext(), method, x.r.URL.Path) {
				takes = append(takes, method)
				x.record.header.Add("Allow", method)
			}
		}
		return &failure{status: http.StatusMethodNotAllowed, typ: messages.ErrorInvalidRequest, message: "this path does not support the method of the request; use " + strings.Join(takes, " or ")}
	}
}
