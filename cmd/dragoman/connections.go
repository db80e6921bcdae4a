package main

import (
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"
)

// shares divides the descriptors of the process. Each connection of a client may need
// another one, to an upstream. What is held back is for operators, whose probes have to
// be answered whatever clients do, and for files.
func shares(descriptors int64) (clients, admins int64) {
	reserve := min(128, descriptors/4)
	return max(1, (descriptors-reserve)/2), max(1, reserve/2)
}

// connections counts those of a server, and closes new ones that are too many. A
// connection that waits to be accepted would starve the process of descriptors later.
type connections struct {
	most   int64
	open   atomic.Int64
	warned atomic.Int64 // when it was last logged, in seconds
	log    zerolog.Logger
}

// observe is for [http.Server.ConnState].
func (c *connections) observe(conn net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		if c.open.Add(1) > c.most {
			conn.Close()
			c.warn()
		}
	case http.StateClosed, http.StateHijacked:
		c.open.Add(-1)
	}
}

// warn logs that connections are refused, once a minute.
func (c *connections) warn() {
	now := time.Now().Unix()
	if last := c.warned.Load(); now-last >= 60 && c.warned.CompareAndSwap(last, now) {
		c.log.Warn().Int64("limit", c.most).Str("msg", "too many connections: new ones are closed at once").Send()
	}
}
