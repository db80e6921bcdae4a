package main

import (
	"testing"
	"time"

	"dragoman/translate/testcost"
)

// TestRequests checks that every request in the help exists, and that those with a size have that size.
func TestRequests(t *testing.T) {
	for _, l := range testcost.Loads() {
		if load(l.Name) != l.Body {
			t.Errorf("%s is not found", l.Name)
		}
	}
	for _, size := range []int{64 << 10, 1 << 20} {
		if n := len(requestOf(size)); n < size*9/10 || n > size*11/10 {
			t.Errorf("%d bytes where %d were asked for", n, size)
		}
	}
}

// TestAttack puts load on the model itself, streamed and not, and checks that it answers everything.
func TestAttack(t *testing.T) {
	for _, stream := range []bool{false, true} {
		o := options{request: "small", argument: 400, stream: stream, rate: 100, connections: 4}
		w := &way{name: "direct", url: serve(t, newModel(o.argument, 0))}
		o.attack(w, 100*time.Millisecond)
		w.metrics.Close()
		if err := failures([]*way{w}); err != nil || w.metrics.Requests == 0 || w.metrics.Success < 1 {
			t.Errorf("%v of %+v", err, w.metrics)
		}
	}
}
