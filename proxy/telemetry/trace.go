package telemetry

import (
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
	"time"
)

// traceID and spanID are the ids of the W3C's Trace Context. All zeroes is none.
type (
	traceID [16]byte
	spanID  [8]byte
)

// newTraceID returns an id at random, and never none. Ids need not be hard to guess.
func newTraceID() (id traceID) {
	binary.BigEndian.PutUint64(id[:8], rand.Uint64())
	binary.BigEndian.PutUint64(id[8:], max(1, rand.Uint64()))
	return id
}

func newSpanID() (id spanID) {
	binary.BigEndian.PutUint64(id[:], max(1, rand.Uint64()))
	return id
}

func (id traceID) String() string { return hex.EncodeToString(id[:]) }

// place is where a span is: what the next server is told of it.
type place struct {
	trace   traceID
	span    spanID
	sampled bool
	state   string // tracestate, as it came
}

// spanKind is how a span relates to others, in the numbers of OTLP.
type spanKind uint8

const (
	kindInternal spanKind = 1
	kindServer   spanKind = 2
	kindClient   spanKind = 3
)

// span is one piece of work of a trace that is sampled.
type span struct {
	place
	parent       spanID
	parentRemote bool
	name         string
	kind         spanKind
	start, end   time.Time
	attributes   []attribute
	events       []event
	failed       bool
}

// attribute is a name with a value: a string, a bool, an int, a float64 or a []string.
type attribute struct {
	key   string
	value any
}

// event is something that happened during a span.
type event struct {
	name       string
	at         time.Time
	attributes []attribute
}

// set adds an attribute. One that is empty, a text or a list, is none.
func (s *span) set(key string, value any) {
	switch v := value.(type) {
	case string:
		if v == "" {
			return
		}
	case []string:
		if len(v) == 0 {
			return
		}
	}
	s.attributes = append(s.attributes, attribute{key, value})
}

// size returns about how many bytes of memory the span takes.
func (s *span) size() int {
	size := 256 + sizeOf(s.attributes)
	for _, e := range s.events {
		size += 64 + sizeOf(e.attributes)
	}
	return size
}

func sizeOf(attributes []attribute) (size int) {
	for _, a := range attributes {
		size += 64
		switch v := a.value.(type) {
		case string:
			size += len(v)
		case []string:
			for _, s := range v {
				size += 16 + len(s)
			}
		}
	}
	return size
}

// sampler decides which traces are recorded (OTEL_TRACES_SAMPLER).
type sampler struct {
	parentBased bool    // a trace that the client has begun is recorded if the client records it
	ratio       float64 // of the others: 0 for none, 1 for all
}

// samples decides for a trace, whose parent is nil if it begins here. A trace that is taken at one ratio
// is taken at every higher one, by whichever server decides.
func (s sampler) samples(id traceID, parent *place) bool {
	if s.parentBased && parent != nil {
		return parent.sampled
	}
	const half = 1 << 63
	return s.ratio >= 1 || float64(binary.BigEndian.Uint64(id[8:])>>1) < s.ratio*half
}
