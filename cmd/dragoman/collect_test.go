package main

import (
	"runtime"
	"runtime/debug"
	"testing"
)

func TestCollectRarely(t *testing.T) {
	before := debug.SetGCPercent(100)
	defer debug.SetGCPercent(before)
	collectRarely(func(string) string { return "50" })
	if percent := debug.SetGCPercent(100); percent != 100 {
		t.Errorf("GOGC is set, and the percentage became %d", percent)
	}
	for kept, want := range map[uint64]int{1 << 20: 200, 3 << 20: 200, 4 << 20: 100, 15 << 20: 100, 16 << 20: 50, 1 << 30: 50} {
		if percent := percentFor(kept); percent != want {
			t.Errorf("%d bytes: %d percent", kept, percent)
		}
	}
}

func TestAfterCollections(t *testing.T) {
	calls := make(chan struct{})
	done := make(chan struct{})
	defer close(done)
	afterCollections(func() {
		select {
		case calls <- struct{}{}:
		case <-done:
		}
	})
	for range 3 {
		runtime.GC()
		<-calls
	}
}
