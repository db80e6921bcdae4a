// Package agents has coding agents do a small task with the dragoman binary between them and a model
// that is told what to write: they are programs of others, installed as their users do, with a home of
// their own and no network but loopback.
package agents

import (
	"fmt"
	"os"
	"testing"

	"dragoman/conformance"
)

func TestMain(m *testing.M) {
	if os.Getenv(alone) != "" {
		if err := raiseLoopback(); err != nil {
			fmt.Fprintln(os.Stderr, "the loopback interface:", err)
			os.Exit(1)
		}
	}
	os.Exit(conformance.Main(m))
}
