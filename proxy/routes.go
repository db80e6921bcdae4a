package proxy

import (
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-chi/chi/v5"

	"dragoman/proxy/internal/replay"
)

// Handler returns the handler for clients, with every URL that they can use. Only the greeting needs no key.
func (s *Server) Handler() http.Handler { return entry{s: s}.handler() }

// entry is where requests come in: from clients, or again from an operator.
type entry struct {
	s      *Server
	replay *replay.Replay // how to answer an operator's replay; nil for requests of clients
}

func (e entry) handler() http.Handler {
	r := chi.NewRouter()
	r.Use(e.s.incoming, e.s.cors, e.s.plainPaths)
	r.Get("/", greet)
	r.Head("/", greet)
	e.handleMessages(r)
	e.handleChat(r)
	e.handleBedrock(r)
	e.handleBedrockLists(r)
	e.handleVertex(r)
	r.NotFound(e.serve(unnamed(sharedAPI), notFound))
	r.MethodNotAllowed(e.serve(unnamed(sharedAPI), notAllowed(r)))
	return r
}

// handleMessages serves the Messages API.
func (e entry) handleMessages(r chi.Router) {
	r.Post("/v1/messages", e.serve(&messagesAPI, (*exchange).answer))
	r.Post("/v1/messages/count_tokens", e.serve(&messagesAPI, (*exchange).countTokens))
	r.Get("/v1/models", e.serve(&sharedAPI, (*exchange).listModels))
	r.Get("/v1/models/*", e.serve(&sharedAPI, (*exchange).describeModel))
	const (
		oneByOne = "send each request to POST /v1/messages"
		inline   = "write images and documents into the content of a message to POST /v1/messages, as base64, text or a URL"
	)
	for path, use := range map[string]string{
		"/v1/complete":           "send the conversation to POST /v1/messages",
		"/v1/messages/batches":   oneByOne,
		"/v1/messages/batches/*": oneByOne,
		"/v1/files":              inline,
		"/v1/files/*":            inline,
	} {
		r.HandleFunc(path, e.serve(&messagesAPI, notServed(use)))
	}
}

// handleChat serves Chat Completions (docs/reference/clients.md §8).
func (e entry) handleChat(r chi.Router) {
	r.Post("/v1/chat/completions", e.serve(&chatCompletions, (*exchange).answer))
	const responses = "use Chat Completions (POST /v1/chat/completions) instead of the Responses API: most clients and providers have an option for it"
	for path, use := range map[string]string{
		"/v1/chat/completions/*": "no answer is stored here; send the whole conversation to POST /v1/chat/completions",
		"/v1/responses":          responses,
		"/v1/responses/*":        responses,
		"/v1/completions":        "send the conversation to POST /v1/chat/completions",
		"/v1/embeddings": "no model here embeds texts; set the base URL of the embedding client to a server that has such a model, " +
			"and start programs with `dragoman run --no-openai` to keep their own OPENAI_BASE_URL",
	} {
		r.HandleFunc(path, e.serve(&chatCompletions, notServed(use)))
	}
}

// handleBedrock serves the operations of Bedrock (docs/reference/bedrock.md §1).
func (e entry) handleBedrock(r chi.Router) {
	for _, operation := range []string{opInvoke, opInvokeStream} {
		r.Post("/model/{id}"+operation, e.serve(&bedrockInvoke, (*exchange).answer))
	}
	for _, operation := range []string{opConverse, opConverseStream} {
		r.Post("/model/{id}"+operation, e.serve(&bedrockConverse, (*exchange).answer))
	}
	r.Post("/model/{id}"+opCount, e.serve(&bedrockCount, (*exchange).countTokens))
	for _, path := range []string{"/model/*", "/guardrail/*"} {
		r.HandleFunc(path, e.serve(unnamed(bedrockInvoke), noOperation))
	}
}

// handleVertex serves the models of Anthropic on Vertex AI (docs/reference/vertex.md §2).
func (e entry) handleVertex(r chi.Router) {
	for _, path := range vertexPaths {
		r.Post(path+vertexCallPath, e.serve(&vertex, (*exchange).answerVertex))
		r.HandleFunc(path+"/*", e.serve(unnamed(vertex), notFound))
	}
}

// The beginnings of Vertex paths, and the rest up to a method of a model.
var vertexPaths = []string{"/v1/projects", "/projects"}

const vertexCallPath = "/{project}/locations/{location}/publishers/{publisher}/models/{call}"

// unnamed returns a copy of d without a name. It serves paths that look like d's API but are none of its operations:
// clients choose such paths, and the metrics count them under the dialect "other".
func unnamed(d dialect) *dialect {
	d.name = ""
	return &d
}

// Admin returns the handler for operators: health, readiness, metrics and explanations. It needs no key, so it belongs
// on a listener that strangers cannot reach. It answers probes whatever host they name.
func (s *Server) Admin() http.Handler {
	r := chi.NewRouter()
	r.Use(s.incoming)
	r.Get("/healthz", respondText(http.StatusOK, "ok\n"))
	r.Get("/readyz", func(w http.ResponseWriter, r *http.Request) {
		if s.draining.Err() != nil {
			respondText(http.StatusServiceUnavailable, "draining\n")(w, r)
			return
		}
		text := "ready\n"
		if s.config != "" {
			text += "config " + s.config + "\n"
		}
		respondText(http.StatusOK, text+s.trouble())(w, r)
	})
	if s.inspector != nil {
		r.With(s.guarded).Handle("/inspector/*", s.inspector)
		r.Get("/inspector", http.RedirectHandler("/inspector/", http.StatusMovedPermanently).ServeHTTP)
	}
	r.NotFound(s.nothingForOperators)
	scrape := s.metrics.Handler()
	r.With(s.guarded).Get("/metrics", func(w http.ResponseWriter, r *http.Request) {
		s.measureUpstreams()
		scrape.ServeHTTP(w, r)
	})
	r.With(s.guarded).Post("/explain", s.servePath(s.explainer()))
	return r
}

// greet answers the probes with which some clients check their base URL.
func greet(w http.ResponseWriter, r *http.Request) {
	setRequestIDs(w.Header(), r)
	respondText(http.StatusOK, "Dragoman serves the Messages API at POST /v1/messages, Chat Completions at POST /v1/chat/completions, and the APIs of Bedrock and Vertex AI\n")(w, r)
}

func respondText(status int, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text) // a client that has left needs no answer
	}
}

// Clients append the path of an API to a base URL, which may end in a slash, in /v1 or in /anthropic, or they
// omit /v1 (docs/reference/clients.md §2). The resulting path is an alias, and is served like the path that the client
// meant.

// heads are the first path segments after /v1 in the Messages API and in OpenAI's API.
var heads = []string{"messages", "models", "complete", "files", "chat", "responses", "completions", "embeddings"}

// plainPath returns the path that an escaped path is an alias of, or the path itself. It replaces each row of slashes
// by one, and /anthropic and up to two /v1 before a head by one /v1.
//
// It keeps an escaped slash, which is part of a name, and an empty name after /projects/ or /model/, which is an error
// for the client.
func plainPath(path string) string {
	whole, named := path, ""
	for _, names := range []string{"/projects/", "/model/"} {
		if i := strings.Index(path, names); i >= 0 {
			path, named = path[:i+len(names)], path[i+len(names):]+named
		}
	}
	unnamed := path
	for strings.Contains(path, "//") {
		path = strings.ReplaceAll(path, "//", "/")
	}
	rest := strings.TrimPrefix(strings.TrimPrefix(path, "/"), "anthropic/")
	for range 2 {
		rest = strings.TrimPrefix(rest, "v1/")
	}
	head, _, _ := strings.Cut(rest, "/")
	if slices.Contains(heads, head) && strings.TrimPrefix(path, "/v1/") != rest {
		path = "/v1/" + rest
	}
	if path == unnamed {
		return whole
	}
	return path + named
}

// plainPaths returns h behind the replacement of aliases. It logs each alias once.
func (s *Server) plainPaths(h http.Handler) http.Handler { return plainPaths(h, s.noteAlias) }

// maxAliases is the number of aliases that are logged, by shape.
const maxAliases = 32

// noteAlias logs that a path is an alias of another.
func (s *Server) noteAlias(path, plain string) {
	if shape := shapeOf(path); s.aliases.add(shape) {
		s.log.Warn().Str("path", shape).Str("served_as", shapeOf(plain)).
			Str("event", "base_url_alias").Str("msg", "a client uses a path that does not exist, and Dragoman serves the path that it means: correct the client's base URL; this is logged once").Send()
	}
}

// plainPaths is [Server.plainPaths] with a function that is called with each alias and its plain path.
func plainPaths(h http.Handler, note func(path, plain string)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := r.URL.EscapedPath()
		plain := plainPath(path)
		if plain == path {
			h.ServeHTTP(w, r)
			return
		}
		meant, to := *r, *r.URL // copies, because net/http looks at its own request after h
		to.RawPath = plain
		to.Path, _ = url.PathUnescape(plain) // the path comes from a valid URL
		meant.URL = &to
		note(r.URL.Path, to.Path)
		h.ServeHTTP(w, &meant)
	})
}

// pathParam returns the part of the path that a pattern in [Server.Handler] gives this name, unescaped once. It is ""
// if the part is not validly escaped, or not UTF-8.
//
// Model ids in Bedrock's paths may contain escaped slashes. So chi matches the escaped path if it differs from the
// unescaped one, and does not unescape the parts.
func pathParam(r *http.Request, name string) string {
	s := chi.URLParam(r, name)
	if r.URL.RawPath != "" {
		var err error
		if s, err = url.PathUnescape(s); err != nil {
			return ""
		}
	}
	if !utf8.ValidString(s) {
		return ""
	}
	return s
}

// ourSegments are the path segments that the server itself defines.
var ourSegments = map[string]bool{
	"": true, "v1": true, "messages": true, "count_tokens": true, "batches": true, "complete": true, "models": true, "anthropic": true,
	"model": true, "invoke": true, "invoke-with-response-stream": true, "converse": true, "converse-stream": true, "count-tokens": true, "guardrail": true,
	"projects": true, "locations": true, "publishers": true,
	"chat": true, "completions": true, "responses": true, "files": true, "embeddings": true, "foundation-models": true, "inference-profiles": true, "imported-models": true,
	"healthz": true, "readyz": true, "metrics": true, "inspector": true, "explain": true,
}

// shapeOf returns the path of a URL in a form that is safe to log: every segment that is not ours is "*", and so is
// everything after the first ten.
func shapeOf(path string) string {
	const most = 10
	segments := strings.SplitN(path, "/", most+2)
	for i, s := range segments {
		if !ourSegments[s] {
			segments[i] = "*"
		}
	}
	return strings.Join(segments, "/")
}
