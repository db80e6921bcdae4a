package upstream

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/go-json-experiment/json"
)

// Which model a server really runs behind the name that it is asked for. The name may be an alias that
// tells nothing of the model's family.

// The servers that are asked for raw prompts in a way of their own.
const (
	serverVLLM   = "vllm"
	serverSGLang = "sglang"
	serverOllama = "ollama"
)

// askServer asks the server which model it runs under a name, and what server it is: vLLM and SGLang say it in their
// list of models, llama.cpp at /props, and Ollama at /api/show. The error is that of a server that could not be reached.
func (s *Server) askServer(ctx context.Context, model string) (r Resolved, err error) {
	root := s.root()
	var list listedRoots
	if err := s.ask(ctx, s.base.url+"/models", nil, &list); err != nil {
		return r, err
	}
	r.Model, r.Server = list.of(model)
	if r.Model != "" {
		return r, nil
	}
	var props llamaProps
	if err := s.ask(ctx, root+"/props", nil, &props); err != nil {
		return r, err
	}
	if r.Model = props.name(); r.Model != "" {
		return r, nil
	}
	body, err := json.Marshal(map[string]string{"model": model})
	if err != nil {
		return r, err
	}
	var show ollamaShow
	err = s.ask(ctx, root+"/api/show", body, &show)
	if show != (ollamaShow{}) {
		r.Server = serverOllama
	}
	r.Model = cmp.Or(show.Info.BaseName, show.Info.Name, show.Info.Architecture, show.Details.Family)
	return r, err
}

// root returns the URL below which a server has what is not of the API of OpenAI.
func (s *Server) root() string { return strings.TrimSuffix(s.base.url, "/v1") }

// ask gets a URL, or posts a body to it, and decodes the JSON of the answer into to. An answer that says no,
// or cannot be read, tells nothing: the error is that of a server that did not answer.
func (s *Server) ask(ctx context.Context, url string, body []byte, to any) error {
	at := s.base
	at.url = url
	if body == nil {
		return unlessAnswered(at.read(ctx, url, readChatError, to))
	}
	response, err := at.post(ctx, body, readChatError, "application/json")
	if err != nil {
		return unlessAnswered(err)
	}
	defer response.Body.Close()
	return unlessAnswered(decodeList(response.Body, to))
}

// unlessAnswered returns err, or nil if the server has answered: it has no such path, or tells something else.
// A server that is still loading its model has not.
func unlessAnswered(err error) error {
	var failed *Error
	if errors.As(err, &failed) && !failed.Unreachable && failed.Status != overloaded.status && failed.Status != rateLimited.status {
		return nil
	}
	return err
}

// listedRoots is the list of models of vLLM and SGLang. Root is the model behind a name, or its path.
type listedRoots struct {
	Data []struct {
		ID     string `json:"id"`
		Root   string `json:"root"`
		Parent string `json:"parent"` // of an adapter: the id of its model
		Owner  string `json:"owned_by"`
	} `json:"data"`
}

// of returns the name of the model behind an id, "" if the list has no other, and the name of the server, "" for
// one that is not known by it.
func (l *listedRoots) of(id string) (model, server string) {
	for _, m := range l.Data {
		if m.ID != id {
			continue
		}
		if m.Owner == serverVLLM || m.Owner == serverSGLang {
			server = m.Owner
		}
		switch {
		case m.Parent != "" && m.Parent != id:
			behind, _ := l.of(m.Parent)
			return cmp.Or(behind, m.Parent), server
		case m.Root != id:
			return nameInPath(m.Root), server
		}
	}
	return "", server
}

// llamaProps is what llama.cpp tells of itself.
type llamaProps struct {
	Path     string `json:"model_path"`
	Template string `json:"chat_template"`
}

// name returns the name of the model's file. If that is a hash, as in the stores of Docker and Ollama, it
// returns what the chat template has the model say of itself.
func (p *llamaProps) name() string {
	name := nameInPath(p.Path)
	if name != "" && !strings.HasPrefix(name, "sha256") {
		return name
	}
	_, says, _ := strings.Cut(p.Template, "You are ")
	end := strings.IndexAny(says, ".'\"\n{")
	return says[:min(max(end, 0), maxModelID)]
}

// ollamaShow is what Ollama tells of a model.
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
// Hugging Face ("…/models--Qwen--Qwen3-8B/snapshots/…"). The id of a repository is left as it is.
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
