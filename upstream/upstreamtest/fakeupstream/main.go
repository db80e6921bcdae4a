// Command fakeupstream serves one of the upstreams for tests. Its model is the simulated model, or always
// writes the same text. It fails on cue:
//
//	go run ./upstream/upstreamtest/fakeupstream -kind bedrock -listen 127.0.0.1:9000
//	go run ./upstream/upstreamtest/fakeupstream -kind messages -fault 'refuse 529 overloaded_error' -times 1
//	curl -d 'cut 120' 'http://127.0.0.1:9000/fault?times=1'
//
// The Vertex upstream is a metadata server too: set GCE_METADATA_HOST to its address. With -lifetime, the
// Bedrock upstream is also the credentials endpoint of a container, and accepts only its own credentials: set
// AWS_CONTAINER_CREDENTIALS_FULL_URI to its /credentials, and AWS_CONTAINER_AUTHORIZATION_TOKEN to
// workload-0. -ahead sets the clock of either upstream wrong.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"dragoman/upstream/upstreamtest"
)

// credentials are the properties of the credentials that an upstream issues.
type credentials struct {
	lifetime time.Duration // 0 for the default
	ahead    time.Duration // how far the upstream's clock is ahead
}

func (c credentials) clock() time.Time { return time.Now().Add(c.ahead) }

// kinds are the upstreams, by name.
var kinds = map[string]func(upstreamtest.Script, credentials) http.Handler{
	"bedrock":  bedrock,
	"messages": func(s upstreamtest.Script, _ credentials) http.Handler { return upstreamtest.NewMessages(s) },
	"chat":     func(s upstreamtest.Script, _ credentials) http.Handler { return upstreamtest.NewChat(s) },
	"vertex":   vertex,
}

func bedrock(s upstreamtest.Script, c credentials) http.Handler {
	b := upstreamtest.NewBedrock(s)
	if c.lifetime > 0 {
		b.Roles = upstreamtest.NewRoles()
		b.Roles.Clock = c.clock
		b.Roles.Last(c.lifetime)
	}
	return b
}

func vertex(s upstreamtest.Script, c credentials) http.Handler {
	v := upstreamtest.NewVertex(s)
	v.Tokens.Clock = c.clock
	if c.lifetime > 0 {
		v.Tokens.Last(c.lifetime)
	}
	return v
}

func main() {
	kind := flag.String("kind", "bedrock", "serve one of "+strings.Join(slices.Sorted(maps.Keys(kinds)), ", "))
	listen := flag.String("listen", "127.0.0.1:9000", "listen on this `ADDRESS`")
	text := flag.String("text", "", "complete every prompt with the text of this `FILE` instead of the simulated model's text")
	fault := flag.String("fault", "none", "fail in this way: refuse STATUS TYPE [RETRY-AFTER], reply STATUS CONTENT-TYPE BODY, stall EVENTS, fail EVENTS TYPE, corrupt EVENTS, cut BYTES or end BYTES")
	times := flag.Int("times", 0, "as often; 0 is always")
	var c credentials
	flag.DurationVar(&c.lifetime, "lifetime", 0, "hand out credentials that last this long (bedrock, vertex)")
	flag.DurationVar(&c.ahead, "ahead", 0, "set the upstream's clock ahead by this much (vertex; bedrock with -lifetime)")
	flag.Parse()
	if err := serve(*kind, *listen, *text, *fault, *times, c); err != nil {
		fmt.Fprintln(os.Stderr, "fakeupstream:", err)
		os.Exit(1)
	}
}

func serve(kind, address, text, fault string, times int, c credentials) error {
	handler, err := newHandler(kind, text, fault, times, c)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	fmt.Printf("fake %s upstream at http://%s\n", kind, listener.Addr())
	return http.Serve(listener, handler)
}

// newHandler returns the upstream, with the additional path /fault.
func newHandler(kind, text, fault string, times int, c credentials) (http.Handler, error) {
	serve, known := kinds[kind]
	if !known {
		return nil, fmt.Errorf("unknown kind %q. Use one of: bedrock, chat, messages, vertex", kind)
	}
	script := upstreamtest.Script(upstreamtest.Simulated)
	if text != "" {
		data, err := os.ReadFile(text)
		if err != nil {
			return nil, err
		}
		script = upstreamtest.Answer(upstreamtest.Completion{Text: string(data)})
	}
	cue := new(upstreamtest.Cue)
	first, err := upstreamtest.ParseFault(fault)
	if err != nil {
		return nil, err
	}
	cue.Set(first, times)
	upstream := serve(cue.Script(script), c)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { // a ServeMux would clean paths
		if r.URL.Path != "/fault" {
			upstream.ServeHTTP(w, r)
		} else if err := setFault(cue, r); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
		}
	}), nil
}

// setFault sets the fault in the body of a request.
func setFault(cue *upstreamtest.Cue, r *http.Request) error {
	words, err := io.ReadAll(io.LimitReader(r.Body, 64<<10))
	if err != nil {
		return err
	}
	fault, err := upstreamtest.ParseFault(string(words))
	if err != nil {
		return err
	}
	times := 0
	if s := r.URL.Query().Get("times"); s != "" {
		if times, err = strconv.Atoi(s); err != nil || times < 0 {
			return errors.New("times is not a number")
		}
	}
	cue.Set(fault, times)
	return nil
}
