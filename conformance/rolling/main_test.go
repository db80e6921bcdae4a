// Package rolling restarts replicas of dragoman one after another, behind real balancers, while clients
// hold streams open. Nothing may be lost: not a connection, not a byte of an answer.
package rolling

import (
	"dragoman/conformance"
	"os"
	"testing"
	"time"
)

const (
	streams  = 200         // that clients keep open
	replicas = 3           // of dragoman
	patience = time.Minute // for anything that is waited for
)

func TestMain(m *testing.M) { os.Exit(conformance.Main(m)) }

// await asks again and again until ok says yes.
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
