package serve

import (
	"container/list"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"dragoman/cmd/dragoman/internal/logging"
)

// connectionLimits returns how many connections the two listeners may have, for a process with this many descriptors.
// Each client connection may need a second one, to an upstream. A reserve stays for files and for the admin listener:
// probes must be answered whatever clients do.
func connectionLimits(descriptors int64) (clients, admins int64) {
	reserve := min(128, descriptors/4)
	return max(1, (descriptors-reserve)/2), max(1, reserve/2)
}

// MaxConnections returns connectionLimits of this process.
func MaxConnections() (clients, admins int64) { return connectionLimits(descriptors()) }

// connections limits the connections of a server. Above the limit it closes a new connection at once: if the connection
// waited to be accepted, it would later take a descriptor from the rest of the process.
type connections struct {
	most     int64
	makeRoom bool // close the oldest connection instead, for a server with fast requests
	log      zerolog.Logger
	refused  func() // called above the limit; may be nil

	mu     sync.Mutex
	open   list.List                  // of net.Conn, oldest first
	place  map[net.Conn]*list.Element // in open
	idle   map[net.Conn]time.Time     // connections between two requests, and since when
	warned logging.Seldom
}

func newConnections(most int64, makeRoom bool, log zerolog.Logger) *connections {
	return &connections{most: most, makeRoom: makeRoom, log: log, place: map[net.Conn]*list.Element{}, idle: map[net.Conn]time.Time{}}
}

// limit sets the number of connections that are allowed from now on. It closes no open connection.
func (c *connections) limit(most int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.most = most
}

// observe follows the state of a connection: see [http.Server.ConnState].
func (c *connections) observe(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.idle, conn)
	switch state {
	case http.StateIdle:
		c.idle[conn] = time.Now()
	case http.StateNew:
		c.place[conn] = c.open.PushBack(conn)
		if int64(c.open.Len()) > c.most {
			c.warn()
			if c.refused != nil {
				c.refused()
			}
			if c.makeRoom {
				conn = c.open.Front().Value.(net.Conn)
			}
			c.forget(conn)
			conn.Close()
		}
	case http.StateClosed, http.StateHijacked:
		c.forget(conn)
	}
}

// forget removes a connection from the list, if it is there.
func (c *connections) forget(conn net.Conn) {
	if e := c.place[conn]; e != nil {
		c.open.Remove(e)
		delete(c.place, conn)
	}
}

// resting reports whether every connection has been without a request for that long.
func (c *connections) resting(long time.Duration) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, since := range c.idle {
		if time.Since(since) < long {
			return false
		}
	}
	return len(c.idle) == c.open.Len()
}

// warn logs that there are too many connections, at most once a minute.
func (c *connections) warn() {
	if c.warned.Due() {
		c.log.Warn().Int64("limit", c.most).Str("event", "connections_full").Str("msg", "too many connections: Dragoman closes some at once").Send()
	}
}
