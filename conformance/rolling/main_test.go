// Package rolling restarts replicas of dragoman one after another, behind real balancers, while clients
// hold streams open. Nothing may be lost: not a connection, not a byte of an answer.
package rolling

import (
	"dragoman/conformance"
	"os"
	"path/filepath"
	"testing"
	"time"
)

const (
	streams  = 200         // that clients keep open
	replicas = 3           // of dragoman
	patience = time.Minute // for anything that is waited for
)

// binary is the path of the dragoman under test.
var binary string

func TestMain(m *testing.M) { os.Exit(run(m)) }

// run runs the tests against the binary that DRAGOMAN_BIN names, or else one built here.
func run(m *testing.M) int {
	if binary = os.Getenv("DRAGOMAN_BIN"); binary != "" {
		return m.Run()
	}
	folder, err := os.MkdirTemp("", "dragoman")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	binary = filepath.Join(folder, "dragoman")
	if err := conformance.Build(binary); err != nil {
		panic(err)
	}
	return m.Run()
}

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
