package upstream

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
)

// Which model a server really runs behind the name that it is asked for. The name may be an alias that
// tells nothing of the model's family.

// How the server is asked.
const (
	hintTimeout = 5 * time.Second
	hintRetry   = time.Minute // before a server that could not be reached is asked again
	mostHints   = 256         // names of models that are remembered
	mostAsking  = 4           // names that are asked for at once
)

// hints are what a server has told of its models, by their names.
type hints struct {
	mu      sync.Mutex
	known   map[string]hint
	asking  int
	closed  bool
	ctx     context.Context // of the calls that ask; ends with close
	cancel  context.CancelFunc
	pending sync.WaitGroup
}

// hint is what a server has told of a model.
type hint struct {
	text  string
	again time.Time // when to ask again, for a server that could not be reached; zero for never
}

func newHints() *hints {
	h := &hints{known: map[string]hint{}}
	h.ctx, h.cancel = context.WithCancel(context.Background())
	return h
}

// of returns the hint for a model. If there is none, ask is called in the background, once at a time.
func (h *hints) of(model string, ask func(context.Context, string) (string, error)) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	known, found := h.known[model]
	if found && (known.again.IsZero() || time.Now().Before(known.again)) || h.closed || h.asking == mostAsking {
		return known.text
	}
	if len(h.known) >= mostHints && !found { // names that clients made up, most likely
		clear(h.known)
	}
	h.known[model] = hint{again: time.Now().Add(hintRetry)} // nobody else asks meanwhile
	h.asking++
	h.pending.Go(func() {
		ctx, cancel := context.WithTimeout(h.ctx, hintTimeout)
		defer cancel()
		text, err := ask(ctx, model)
		h.mu.Lock()
		defer h.mu.Unlock()
		h.asking--
		if err == nil {
			h.known[model] = hint{text: text}
		}
	})
	return known.text
}

// close ends the calls that ask, and waits for them.
func (h *hints) close() {
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	h.cancel()
	h.pending.Wait()
}

// askFamily asks the server which model it runs under a name: vLLM and SGLang say it in their list of models,
// llama.cpp at /props, and Ollama at /api/show. The error is that of a server that could not be reached.
func (s *Server) askFamily(ctx context.Context, model string) (string, error) {
	base := s.base.url
	root := strings.TrimSuffix(base, "/v1")
	var list listedRoots
	if err := s.ask(ctx, base+"/models", nil, &list); err != nil {
		return "", err
	}
	if name := list.of(model); name != "" {
		return name, nil
	}
	var props llamaProps
	if err := s.ask(ctx, root+"/props", nil, &props); err != nil {
		return "", err
	}
	if name := props.name(); name != "" {
		return name, nil
	}
	body, err := json.Marshal(map[string]string{"model": model})
	if err != nil {
		return "", err
	}
	var show ollamaShow
	err = s.ask(ctx, root+"/api/show", body, &show)
	return cmp.Or(show.Info.BaseName, show.Info.Name, show.Info.Architecture, show.Details.Family), err
}

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
	} `json:"data"`
}

// of returns the name of the model behind an id, "" if the list has no other.
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
