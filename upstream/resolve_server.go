package upstream

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/go-json-experiment/json"
)

// Finding the model behind a name on a server. The name may be an alias that does not tell the model's
// family.

// Servers that Dragoman knows by name, because their raw prompts or constraints differ.
const (
	serverVLLM      = "vllm"
	serverSGLang    = "sglang"
	serverLlamaCpp  = "llama.cpp"
	serverOllama    = "ollama"
	serverLMStudio  = "lmstudio"
	serverFireworks = "fireworks"
)

// owners maps the owned_by of listed models to servers.
var owners = map[string]string{
	"vllm": serverVLLM, "sglang": serverSGLang, "llamacpp": serverLlamaCpp, "llama.cpp": serverLlamaCpp,
	"library": serverOllama, "organization_owner": serverLMStudio,
}

// askServer asks the server which model it runs under a name, and which program the server is. The list of
// models tells both on vLLM and SGLang, and the program on other servers. llama.cpp tells at /props, Ollama
// at /api/show, and vLLM tells its version at /version. askServer stops when both are known. An error means
// that the server could not be reached.
func (s *Server) askServer(ctx context.Context, model string) (r Resolved, err error) {
	root := s.root()
	var list listedRoots
	if err := s.ask(ctx, s.base.url+"/models", nil, &list); err != nil {
		return r, err
	}
	r.Model, r.Server = list.of(model), list.server()
	if strings.Contains(s.base.url, "//api.fireworks.ai/") {
		r.Server = serverFireworks
	}
	if r.Model != "" && r.Server != "" {
		return r, nil
	}
	var props llamaProps
	if err := s.ask(ctx, root+"/props", nil, &props); err != nil {
		return r, err
	}
	if name := props.name(); name != "" {
		return Resolved{Model: cmp.Or(r.Model, name), Server: cmp.Or(r.Server, serverLlamaCpp), Slots: props.Slots}, nil
	}
	body, err := json.Marshal(map[string]string{"model": model})
	if err != nil {
		return r, err
	}
	var show ollamaShow
	if err = s.ask(ctx, root+"/api/show", body, &show); show != (ollamaShow{}) {
		r.Server = serverOllama
	}
	r.Model = cmp.Or(r.Model, show.Info.BaseName, show.Info.Name, show.Info.Architecture, show.Details.Family)
	if err != nil || r.Server != "" {
		return r, err
	}
	var version struct {
		Version string `json:"version"`
	}
	if err = s.ask(ctx, root+"/version", nil, &version); version.Version != "" {
		r.Server = serverVLLM
	}
	return r, err
}

// root returns the URL of a server without /v1, for paths outside OpenAI's API.
func (s *Server) root() string { return strings.TrimSuffix(s.base.url, "/v1") }

// ask gets a URL, or posts a body to it, and decodes the JSON of the answer into to. It ignores error answers
// and unreadable answers; it returns an error only if the server did not answer.
func (s *Server) ask(ctx context.Context, url string, body []byte, to any) error {
	at := s.base
	at.url = url
	if body == nil {
		return unlessAnswered(at.read(ctx, url, readChatError, to))
	}
	response, err := at.post(ctx, &sentBody{body}, readChatError, "application/json")
	if err != nil {
		return unlessAnswered(err)
	}
	defer response.Body.Close()
	return unlessAnswered(decodeList(response.Body, to))
}

// unlessAnswered returns nil if the server has answered, even with an error: it has no such path, or returns
// something else. Otherwise it returns err. A server that still loads its model counts as not having
// answered.
func unlessAnswered(err error) error {
	var failed *Error
	if errors.As(err, &failed) && !failed.Unreachable && failed.Status != overloaded.status && failed.Status != rateLimited.status {
		return nil
	}
	return err
}

// listedRoots is a list of models. On vLLM and SGLang, Root is the model behind a name, or its path.
type listedRoots struct {
	Data []struct {
		ID     string `json:"id"`
		Root   string `json:"root"`
		Parent string `json:"parent"` // of an adapter: the id of its base model
		Owner  string `json:"owned_by"`
	} `json:"data"`
}

// of returns the name of the model behind an id, or "" if the list has no other name.
func (l *listedRoots) of(id string) string {
	for _, m := range l.Data {
		switch {
		case m.ID != id:
		case m.Parent != "" && m.Parent != id:
			return cmp.Or(l.of(m.Parent), m.Parent)
		case m.Root != id:
			return nameInPath(m.Root)
		}
	}
	return ""
}

// server returns the server by the owners of its models, or "".
func (l *listedRoots) server() string {
	for _, m := range l.Data {
		if server := owners[strings.ToLower(m.Owner)]; server != "" {
			return server
		}
	}
	return ""
}

// llamaProps is what llama.cpp tells about itself.
type llamaProps struct {
	Path     string `json:"model_path"`
	Template string `json:"chat_template"`
	Slots    int    `json:"total_slots"`
}

// name returns the name of the model's file. If that is a hash, as in the stores of Docker and Ollama, it
// returns the name after "You are" in the chat template.
func (p *llamaProps) name() string {
	name := nameInPath(p.Path)
	if name != "" && !strings.HasPrefix(name, "sha256") {
		return name
	}
	_, says, _ := strings.Cut(p.Template, "You are ")
	end := strings.IndexAny(says, ".'\"\n{")
	return says[:min(max(end, 0), maxModelID)]
}

// ollamaShow is what Ollama tells about a model.
type ollamaShow struct {
	Details struct {
		Family string `json:"family"`
	} `json:"details"`
	Info struct {
		BaseName     string `json:"general.basename"`
		Name         string `json:"general.name"`
		Architecture string `json:"general.architecture"`
	} `json:"model_info"`
}

// nameInPath returns the name in the path of a model: its last element, or the repository in the cache of
// Hugging Face ("…/models--Qwen--Qwen3-8B/snapshots/…"). It returns the id of a repository unchanged.
func nameInPath(path string) string {
	path = strings.TrimRight(strings.ReplaceAll(path, `\`, "/"), "/")
	if _, repository, found := strings.Cut(path, "models--"); found {
		repository, _, _ = strings.Cut(repository, "/")
		return strings.Replace(repository, "--", "/", 1)
	}
	if strings.Count(path, "/") != 1 || path[0] == '/' || path[0] == '.' {
		path = path[strings.LastIndexByte(path, '/')+1:]
	}
	return path[:min(len(path), maxModelID)]
}
