package main

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"
	"time"

	"dragoman/upstream/upstreamtest"
)

// upstreams are the servers behind the proxy.
type upstreams struct {
	bedrock, vertex, anthropic, openai, credentials string // URLs
	tokens                                          *upstreamtest.Tokens
	tokenFile                                       string
	rotating                                        *rotating
	servers                                         []*http.Server
}

// apiKey is the key of the upstreams that require one. It contains the canary.
const apiKey = "sk-canary-of-the-upstream"

// startUpstreams starts the servers on free ports.
func startUpstreams(folder string) (*upstreams, error) {
	u := &upstreams{rotating: &rotating{ends: map[string]time.Time{}}}
	vertex := upstreamtest.NewVertex(script)
	u.tokens = vertex.Tokens
	u.tokens.Last(life)
	anthropic, openai := upstreamtest.NewMessages(script), upstreamtest.NewChat(script)
	anthropic.Key, openai.Key = apiKey, apiKey
	for _, s := range []struct {
		url     *string
		handler http.Handler
	}{
		{&u.bedrock, u.rotating.checked(upstreamtest.NewBedrock(script))},
		{&u.vertex, vertex},
		{&u.anthropic, anthropic},
		{&u.openai, openai},
		{&u.credentials, u.rotating},
	} {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		// No connection may remain and be counted: neither an idle one, nor one that was opened for a request
		// that then used another connection.
		server := &http.Server{Handler: s.handler, IdleTimeout: time.Second, ReadHeaderTimeout: time.Second}
		u.servers = append(u.servers, server)
		*s.url = "http://" + listener.Addr().String()
		go server.Serve(listener)
	}
	var err error
	u.tokenFile, err = u.tokens.User(folder, u.vertex)
	return u, err
}

func (u *upstreams) close() {
	for _, s := range u.servers {
		s.Close()
	}
}

// fail makes the credentials servers fail, or work again.
func (u *upstreams) fail(failing bool) {
	u.rotating.fail(failing)
	u.tokens.Fail(nil)
	if failing {
		u.tokens.Fail(upstreamtest.Refuse(http.StatusServiceUnavailable, "unavailable", "failing on cue", ""))
	}
}

// config writes the configuration of a proxy with these upstreams, and returns its path.
func (u *upstreams) config(folder string) (string, error) {
	path := filepath.Join(folder, "dragoman.yaml")
	return path, write(path, fmt.Sprintf(`
auth: {keys: [%s]}
timeouts: {first_byte: 3s, idle: 3s, write_stall: 20s, drain: 20s}
upstreams:
  east: {kind: bedrock, region: us-east-1, endpoint: %q}
  gcp: {kind: vertex, project: p, location: us-east5, endpoint: %q}
  relay: {kind: anthropic, base_url: %q, api_key: %s}
  local: {kind: openai, base_url: "%s/v1", api_key: %s}
models:
  - {name: on-bedrock, upstream: east, model: anthropic.claude-v2, wire: messages, prefill: true}
  - {name: on-bedrock-text, upstream: east, model: anthropic.claude-v2, wire: text}
  - {name: on-bedrock-converse, upstream: east, model: us.anthropic.claude-3-5-haiku-20241022-v1:0, wire: converse}
  - {name: on-vertex, upstream: gcp, model: claude-3-haiku, wire: messages}
  - {name: on-vertex-chat, upstream: gcp, model: meta/llama, wire: chat}
  - {name: on-anthropic, upstream: relay, model: m}
  - {name: on-openai, upstream: local, model: m}
`, clientKey, u.bedrock, u.vertex, u.anthropic, apiKey, u.openai, apiKey))
}

// models are the names in the configuration.
var models = []string{
	"on-bedrock", "on-bedrock-text", "on-bedrock-converse", "on-vertex", "on-vertex-chat", "on-anthropic", "on-openai",
}

// life is how long credentials last. They are renewed after half of it, and again 10 s later if their server
// fails.
const life = 40 * time.Second

// rotating is a server of container credentials (docs/reference/bedrock.md §8) that issues new ones each
// time.
type rotating struct {
	mu      sync.Mutex
	ends    map[string]time.Time // expiry, by access key id
	failing bool
}

func (r *rotating) fail(failing bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failing = failing
}

// ServeHTTP issues credentials.
func (r *rotating) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failing {
		http.Error(w, "{}", http.StatusServiceUnavailable)
		return
	}
	id, end := "AKIDCANARY"+strconv.Itoa(len(r.ends)), time.Now().Add(life)
	r.ends[id] = end
	fmt.Fprintf(w, `{"AccessKeyId":%q,"SecretAccessKey":"canary-secret","Token":"canary-token","Expiration":%q}`, id, end.UTC().Format(time.RFC3339))
}

// issued returns how many credentials were issued.
func (r *rotating) issued() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.ends)
}

// keyID finds the access key id of a signature.
var keyID = regexp.MustCompile(`Credential=([^/]+)/`)

// checked makes a server reject requests that are signed with expired credentials.
func (r *rotating) checked(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		match := keyID.FindStringSubmatch(request.Header.Get("authorization"))
		if match == nil || r.check(match[1]) != nil {
			w.Header().Set("x-amzn-ErrorType", "ExpiredTokenException")
			http.Error(w, `{"message":"The security token included in the request is expired"}`, http.StatusForbidden)
			return
		}
		h.ServeHTTP(w, request)
	})
}

func (r *rotating) check(id string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !time.Now().Before(r.ends[id]) {
		return errors.New("expired")
	}
	return nil
}
