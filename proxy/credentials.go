package proxy

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"dragoman/upstream"
)

// credentials is what the calls of an upstream have shown of the proxy's own credentials
// there. They count as good until a call says otherwise, and again from the next answer on.
type credentials struct {
	fault upstream.CredentialsFault // "" while they are good
	since time.Time                 // that they are not
}

// learn takes note of the outcome of a call: nil, or its error.
func (c *credentials) learn(err error, now time.Time) {
	var upstreamErr *upstream.Error
	switch {
	case err == nil:
		*c = credentials{}
	case errors.As(err, &upstreamErr) && upstreamErr.Credentials != "":
		if c.fault == "" {
			c.since = now
		}
		c.fault = upstreamErr.Credentials
	}
}

// String says what is wrong with the credentials and since when; it is "" if nothing is.
func (c *credentials) String() string {
	if c.fault == "" {
		return ""
	}
	return fmt.Sprintf("credentials %s since %s", c.fault, c.since.UTC().Format(time.RFC3339))
}

// trouble returns a line for each upstream whose credentials are not good.
func (s *Server) trouble() string {
	var lines strings.Builder
	for _, name := range slices.Sorted(maps.Keys(s.breakers)) {
		if trouble := s.breakers[name].trouble(); trouble != "" {
			fmt.Fprintf(&lines, "upstream %s: %s\n", name, trouble)
		}
	}
	return lines.String()
}

// measureUpstreams sets the metrics of what is known of the upstreams. It is called when they
// are read: what is known ends with time, too.
func (s *Server) measureUpstreams() {
	for name, b := range s.breakers {
		s.metrics.MeasureUpstream(name, b.trouble() == "", b.open())
	}
}
