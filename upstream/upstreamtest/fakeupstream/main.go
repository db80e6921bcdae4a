// Command fakeupstream serves one of the upstreams that the tests use, whose model
// is the simulated one or says always the same, and which fails on cue:
//
//	go run ./upstream/upstreamtest/fakeupstream -kind bedrock -listen 127.0.0.1:9000
//	go run ./upstream/upstreamtest/fakeupstream -kind messages -fault 'refuse 529 overloaded_error' -times 1
//	curl -d 'cut 120' 'http://127.0.0.1:9000/fault?times=1'
//
// That of Vertex is a metadata server too: set GCE_METADATA_HOST to its address. With
// -lifetime, that of Bedrock is the credentials endpoint of a container, and takes no
// others: set AWS_CONTAINER_CREDENTIALS_FULL_URI to its /credentials, and
// AWS_CONTAINER_AUTHORIZATION_TOKEN to workload-0. -ahead puts the clock of either wrong.
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

// credentials are how those are that an upstream hands out.
type credentials struct {
	lifetime time.Duration // 0: as they are by themselves
	ahead    time.Duration // of our clock
}

func (c credentials) clock() time.Time { return time.Now().Add(c.ahead) }

// kinds are the upstreams, by the name of their wire.
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
	text := flag.String("text", "", "complete every prompt with the text of this `FILE` instead of what the simulated model says")
	fault := flag.String("fault", "none", "fail in this way: refuse STATUS TYPE [RETRY-AFTER], reply STATUS CONTENT-TYPE BODY, stall EVENTS, fail EVENTS TYPE, corrupt EVENTS, cut BYTES or end BYTES")
	times := flag.Int("times", 0, "as often; 0 is always")
	var c credentials
	flag.DurationVar(&c.lifetime, "lifetime", 0, "hand out credentials that last this long (bedrock, vertex)")
	flag.DurationVar(&c.ahead, "ahead", 0, "be ahead of the clock by so much (vertex; bedrock with -lifetime)")
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
	fmt.Printf("a %s upstream, which is a fake, at http://%s\n", kind, listener.Addr())
	return http.Serve(listener, handler)
}

// newHandler returns the upstream, and beside it the path /fault.
func newHandler(kind, text, fault string, times int, c credentials) (http.Handler, error) {
	serve, known := kinds[kind]
	if !known {
		return nil, fmt.Errorf("%q is no kind", kind)
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
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { // a ServeMux would mend paths
		if r.URL.Path != "/fault" {
			upstream.ServeHTTP(w, r)
		} else if err := setFault(cue, r); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
		}
	}), nil
}

// setFault takes the words of a fault from a request.
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
