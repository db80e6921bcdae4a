package proxy

import (
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-chi/chi/v5"
)

// Handler returns the handler for clients: all URLs that they can use. Only the greeting
// is open to those without a key.
func (s *Server) Handler() http.Handler {
	r := chi.NewRouter()
	r.Use(s.incoming, s.cors, s.plainPaths)
	r.Get("/", greet)
	r.Head("/", greet)
	s.handleMessages(r)
	s.handleBedrock(r)
	s.handleBedrockLists(r)
	s.handleVertex(r)
	r.NotFound(s.serve(unnamed(messagesAPI), notFound))
	r.MethodNotAllowed(s.serve(unnamed(messagesAPI), notAllowed(r)))
	return r
}

// handleMessages serves the Messages API.
func (s *Server) handleMessages(r chi.Router) {
	r.Post("/v1/messages", s.serve(&messagesAPI, (*exchange).answer))
	r.Post("/v1/messages/count_tokens", s.serve(&messagesAPI, (*exchange).countTokens))
	r.Get("/v1/models", s.serve(&messagesAPI, (*exchange).listModels))
	r.Get("/v1/models/*", s.serve(&messagesAPI, (*exchange).describeModel))
	const (
		oneByOne  = "send each request to POST /v1/messages"
		inline    = "write images and documents into the content of a message to POST /v1/messages, as base64, text or a URL"
		speak     = "Dragoman speaks the API of Anthropic (POST /v1/messages), and not that of OpenAI: choose a client or provider for Anthropic, and give it the URL of this server without /v1"
		noVectors = "models here answer messages (POST /v1/messages), and embed nothing"
	)
	for path, use := range map[string]string{
		"/v1/complete":           "send the conversation to POST /v1/messages",
		"/v1/messages/batches":   oneByOne,
		"/v1/messages/batches/*": oneByOne,
		"/v1/files":              inline,
		"/v1/files/*":            inline,
		"/v1/chat/completions":   speak,
		"/v1/responses":          speak,
		"/v1/responses/*":        speak,
		"/v1/completions":        speak,
		"/v1/embeddings":         noVectors,
	} {
		r.HandleFunc(path, s.serve(&messagesAPI, notServed(use)))
	}
}

// handleBedrock serves the operations of Bedrock (docs/reference/bedrock.md §1).
func (s *Server) handleBedrock(r chi.Router) {
	for _, operation := range []string{opInvoke, opInvokeStream} {
		r.Post("/model/{id}"+operation, s.serve(&bedrockInvoke, (*exchange).answer))
	}
	for _, operation := range []string{opConverse, opConverseStream} {
		r.Post("/model/{id}"+operation, s.serve(&bedrockConverse, (*exchange).answer))
	}
	r.Post("/model/{id}"+opCount, s.serve(&bedrockCount, (*exchange).countTokens))
	for _, path := range []string{"/model/*", "/guardrail/*"} {
		r.HandleFunc(path, s.serve(unnamed(bedrockInvoke), noOperation))
	}
}

// handleVertex serves the models of Anthropic on Vertex AI (docs/reference/vertex.md §2).
func (s *Server) handleVertex(r chi.Router) {
	for _, path := range vertexPaths {
		r.Post(path+vertexCallPath, s.serve(&vertex, (*exchange).answerVertex))
		r.HandleFunc(path+"/*", s.serve(unnamed(vertex), notFound))
	}
}

// Where the paths of Vertex begin, and how they go on to a method of a model.
var vertexPaths = []string{"/v1/projects", "/projects"}

const vertexCallPath = "/{project}/locations/{location}/publishers/{publisher}/models/{call}"

// unnamed returns a copy of d that has no name. It is for paths that look like those of
// d's API and are none of its operations: clients choose such paths, and the metrics count
// their requests under the dialect "other".
func unnamed(d dialect) *dialect {
	d.name = ""
	return &d
}

// Admin returns the handler for operators: health, readiness, metrics and explanations. It asks for no
// key, and belongs on a listener that strangers cannot reach. Probes are answered whatever
// name they have for the server.
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

// greet answers the probes by which some clients find out whether the base URL is right.
func greet(w http.ResponseWriter, r *http.Request) {
	setRequestIDs(w.Header(), r)
	respondText(http.StatusOK, "Dragoman serves the Messages API at POST /v1/messages, and those of Bedrock and Vertex AI\n")(w, r)
}

func respondText(status int, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text) // a prober that has left needs no answer
	}
}

// Clients put the path of the Messages API behind a base URL that may end in a slash, in /v1 or in
// /anthropic, or leave its /v1 out (docs/reference/clients.md §2). What comes of that is served as what
// was meant: an alias of a path.

// heads are the first segments of paths of the Messages API, behind /v1, and of those of OpenAI's: a
// client that speaks that is told so at each of them.
var heads = []string{"messages", "models", "complete", "files", "chat", "responses", "completions", "embeddings"}

// plainPath returns the path that an escaped path is an alias of, or the path itself. Each row of slashes
// becomes one, and /anthropic and up to two /v1 before a head become one /v1.
//
// An escaped slash is a part of a name and stays, and so does an empty name behind /projects/ or /model/:
// the client is told of that.
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

// plainPaths returns h for the paths that aliases stand for. The log has each alias once.
func (s *Server) plainPaths(h http.Handler) http.Handler { return plainPaths(h, s.noteAlias) }

// maxAliases is how many aliases the log has, by their shapes.
const maxAliases = 32

// noteAlias says in the log that a path is an alias of another.
func (s *Server) noteAlias(path, plain string) {
	if shape := shapeOf(path); s.aliases.add(shape) {
		s.log.Warn().Str("path", shape).Str("served_as", shapeOf(plain)).
			Str("event", "base_url_alias").Str("msg", "a client has a base URL that makes its paths longer or shorter than they are; they are taken for what is meant, and this is said once").Send()
	}
}

// plainPaths is [Server.plainPaths], which calls note with each alias and what it stands for.
func plainPaths(h http.Handler, note func(path, plain string)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := r.URL.EscapedPath()
		plain := plainPath(path)
		if plain == path {
			h.ServeHTTP(w, r)
			return
		}
		meant, to := *r, *r.URL // copies: net/http looks at its own request after h
		to.RawPath = plain
		to.Path, _ = url.PathUnescape(plain) // it was read from a URL that was in order
		meant.URL = &to
		note(r.URL.Path, to.Path)
		h.ServeHTTP(w, &meant)
	})
}

// pathParam returns the part of the path that a pattern in [Server.Handler] gives this
// name, unescaped once. It is "" if the part is not escaped as in a URL, or not UTF-8.
//
// The ids of models in Bedrock's paths may hold escaped slashes. So chi matches the path
// as it came, where that differs from the unescaped one, and does not unescape the parts.
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

// ourSegments are the segments of the paths that are served, without those that clients
// choose.
var ourSegments = map[string]bool{
	"": true, "v1": true, "messages": true, "count_tokens": true, "batches": true, "complete": true, "models": true, "anthropic": true,
	"model": true, "invoke": true, "invoke-with-response-stream": true, "converse": true, "converse-stream": true, "count-tokens": true, "guardrail": true,
	"projects": true, "locations": true, "publishers": true,
	"chat": true, "completions": true, "responses": true, "files": true, "embeddings": true, "foundation-models": true, "inference-profiles": true, "imported-models": true,
	"healthz": true, "readyz": true, "metrics": true, "inspector": true, "explain": true,
}

// shapeOf returns the path of a URL as the log may have it: every segment that is none of
// ours is "*", and what follows the first ten as well.
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
