// Package rolling restarts replicas of dragoman one after another, behind real balancers, while clients hold
// streams open. No connection and no byte of an answer may be lost.
package rolling

import (
	"os"
	"testing"
	"time"

	"dragoman/conformance"
)

const (
	streams  = 200         // open at the same time
	replicas = 3           // of dragoman
	patience = time.Minute // for any wait
)

func TestMain(m *testing.M) { os.Exit(conformance.Main(m)) }

// await calls ok again and again until it returns true.
func await(t testing.TB, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(patience); !ok(); <-tick.C {
		if time.Now().After(deadline) {
			t.Fatalf("waited for %v in vain: %s", patience, what)
		}
	}
}
