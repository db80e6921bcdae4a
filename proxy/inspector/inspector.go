package inspector

import (
	"crypto/sha256"
	"net/http"
	"sync/atomic"

	"dragoman/proxy"
)

// mostReplays limits concurrent replays.
const mostReplays = 4

// Path is where the inspector is served.
const Path = "/inspector/"

// Inspector records exchanges, and shows them to everyone with its token. It is an [http.Handler] for
// [proxy.Options.Inspector], and its Observe is for [proxy.Options.Observe].
type Inspector struct {
	token   string
	sum     [sha256.Size]byte // of the token
	store   *store
	server  atomic.Pointer[func() Server]
	replays chan struct{} // has an element for each replay in progress
	handler http.Handler
}

// Server is the proxy that the inspector watches.
type Server struct {
	*proxy.Server
	URL    string   // the base URL for clients
	Models []string // names that clients may ask for
	Flags  []string // with which another command uses the same models; none if they come from the environment
	Paid   bool     // the upstreams may cost money

	// FileWith returns the configuration as a file in which the entry with the name pattern also has keys, in YAML. If
	// the pattern has a wildcard, the name that a client asked for gets an entry of its own. model is the upstream's name.
	FileWith func(pattern, asked, model, keys string) (string, error)
}

// Watch sets the function that returns the watched server. The inspector calls it each time, because a successor may
// have replaced the server. Before Watch, replays are not possible.
func (in *Inspector) Watch(current func() Server) { in.server.Store(&current) }

// current returns the server; nil before Watch.
func (in *Inspector) current() *Server {
	current := in.server.Load()
	if current == nil {
		return nil
	}
	s := (*current)()
	return &s
}

// Fragment returns the fragment that gives the token to the page: "#token=…". Browsers never send a fragment.
func (in *Inspector) Fragment() string { return "#token=" + in.token }

// ServeHTTP answers requests to the paths below [Path].
func (in *Inspector) ServeHTTP(w http.ResponseWriter, r *http.Request) { in.handler.ServeHTTP(w, r) }
