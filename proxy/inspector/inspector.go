package inspector

import (
	"crypto/sha256"
	"net/http"
	"sync/atomic"

	"dragoman/proxy"
)

// mostReplays is how many exchanges are sent again at once.
const mostReplays = 4

// Path is where the inspector is served.
const Path = "/inspector/"

// Inspector keeps what becomes of exchanges, and shows it to who has its token. It is an
// [http.Handler], for [proxy.Options.Inspector], and its Observe is for [proxy.Options.Observe].
type Inspector struct {
	token   string
	sum     [sha256.Size]byte // of the token
	store   *store
	server  atomic.Pointer[func() Server]
	replays chan struct{} // has an element for each exchange that is being sent again
	handler http.Handler
}

// Server is the proxy whose exchanges are kept.
type Server struct {
	*proxy.Server
	URL    string   // the base URL for clients
	Models []string // names that clients may ask for
}

// Watch says which server serves the exchanges that the inspector is told of; it is asked for each time,
// since another may have taken its place. Before it is called, nothing is sent again.
func (in *Inspector) Watch(current func() Server) { in.server.Store(&current) }

// current returns the server, nil if there is none yet.
func (in *Inspector) current() *Server {
	current := in.server.Load()
	if current == nil {
		return nil
	}
	s := (*current)()
	return &s
}

// Fragment returns what follows the address of the page, so that it has the token: "#token=…". A
// browser sends it to nobody.
func (in *Inspector) Fragment() string { return "#token=" + in.token }

// ServeHTTP answers at the paths below [Path].
func (in *Inspector) ServeHTTP(w http.ResponseWriter, r *http.Request) { in.handler.ServeHTTP(w, r) }
