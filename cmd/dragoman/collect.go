package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// How often the garbage of a server is collected. By default Go collects when the heap has doubled,
// but not below 4 MB. A server that keeps 2 MB would collect for every few dozen requests, and spend
// a twelfth of its time on it. So while little is kept the heap may grow to three times that, and to
// 8 MB at least. Where much is kept that is open streams, which have made their garbage when they began
// and make little more: to let as much again grow as they hold would be memory that nobody needs.
const (
	smallHeap         = 4 << 20 // bytes that are kept
	largeHeap         = 16 << 20
	smallHeapPercent  = 200
	mediumHeapPercent = 100 // Go's own
	largeHeapPercent  = 50
)

// collectRarely sets how often garbage is collected, unless GOGC says it, from now on and after each
// collection anew.
func collectRarely(getenv func(string) string) {
	if getenv("GOGC") != "" {
		return
	}
	percent := smallHeapPercent
	debug.SetGCPercent(percent)
	afterCollections(func() {
		if now := percentFor(keptHeap()); now != percent { // to set it stops the world for a moment
			percent = now
			debug.SetGCPercent(percent)
		}
	})
}

// percentFor returns how much the heap may grow between two collections, of which the first left so
// many bytes.
func percentFor(kept uint64) int {
	switch {
	case kept < smallHeap:
		return smallHeapPercent
	case kept < largeHeap:
		return mediumHeapPercent
	}
	return largeHeapPercent
}

// keptHeap returns how many bytes the last collection left.
func keptHeap() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 {
		return smallHeap
	}
	return sample[0].Value.Uint64()
}

// afterCollections calls f after each collection, until the process ends. Calls do not overlap.
func afterCollections(f func()) {
	garbage := new([16]byte) // by itself: a collection finds it
	runtime.SetFinalizer(garbage, func(*[16]byte) {
		afterCollections(f) // first: the next collection may be over before f
		f()
	})
}
