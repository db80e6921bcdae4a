package main

import (
	"container/list"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/rs/zerolog"
)

// shares divides the descriptors of the process. Each connection of a client may need
// another one, to an upstream. What is held back is for operators, whose probes have to
// be answered whatever clients do, and for files.
func connectionLimits(descriptors int64) (clients, admins int64) {
	reserve := min(128, descriptors/4)
	return max(1, (descriptors-reserve)/2), max(1, reserve/2)
}

// connections are those of a server. When there are too many, a new one is closed at
// once: one that waited to be accepted would starve the process of descriptors later.
// Where requests take no time, the oldest one makes room for it.
type connections struct {
	most     int64
	makeRoom bool
	log      zerolog.Logger

	mu     sync.Mutex
	open   list.List // of net.Conn, in the order in which they came
	place  map[net.Conn]*list.Element
	warned time.Time
}

func newConnections(most int64, makeRoom bool, log zerolog.Logger) *connections {
	return &connections{most: most, makeRoom: makeRoom, log: log, place: map[net.Conn]*list.Element{}}
}

// observe is for [http.Server.ConnState].
func (c *connections) observe(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch state {
	case http.StateNew:
		c.place[conn] = c.open.PushBack(conn)
		if int64(c.open.Len()) > c.most {
			c.warn()
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

// forget does nothing for a connection that is forgotten.
func (c *connections) forget(conn net.Conn) {
	if e := c.place[conn]; e != nil {
		c.open.Remove(e)
		delete(c.place, conn)
	}
}

// warn logs, once a minute, that there are too many.
func (c *connections) warn() {
	if time.Since(c.warned) > time.Minute {
		c.warned = time.Now()
		c.log.Warn().Int64("limit", c.most).Str("msg", "too many connections: some are closed at once").Send()
	}
}
