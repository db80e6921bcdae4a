package proxy

import (
	"io"
	"net/http"

	"github.com/go-chi/chi/v5"

	"dragoman/translate/messages"
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
		speak     = "the API of OpenAI is not spoken here, but that of Anthropic: send the conversation to POST /v1/messages, by a client or provider of that name whose base URL is this server's, without /v1"
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

// notFound answers at a path that is not served.
func notFound(x *exchange) error { return nothingAt(x.r) }

// notServed answers at a path of an API that is not served, and says what to use instead.
func notServed(use string) func(*exchange) error {
	return func(x *exchange) error {
		f := *nothingAt(x.r)
		f.message = "this part of the API is not served here (" + clip(x.r.URL.Path) + "): " + use
		return &f
	}
}

// noOperation answers at a path of Bedrock that is none of its operations.
func noOperation(*exchange) error {
	return &failure{status: http.StatusNotFound, typ: messages.ErrorNotFound, message: "there is no such operation here; a slash in the id of a model is to be escaped (%2F)"}
}

// notAllowed answers a request whose method the path does not take, and names those that
// it takes (RFC 9110, section 15.5.6).
func notAllowed(routes chi.Routes) func(*exchange) error {
	return func(x *exchange) error {
		for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost} {
			if routes.Match(chi.NewRouteContext(), method, x.r.URL.Path) {
				x.record.header.Add("Allow", method)
			}
		}
		return &failure{status: http.StatusMethodNotAllowed, typ: messages.ErrorInvalidRequest, message: "this path does not take the method of the request"}
	}
}
