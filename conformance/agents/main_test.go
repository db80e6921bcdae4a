// Package agents makes coding agents do a small task through the dragoman binary. The model behind it follows
// a script. The agents are real programs, installed as their users install them. Each has its own home
// folder, and no network but loopback.
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
