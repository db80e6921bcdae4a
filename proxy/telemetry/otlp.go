package telemetry

import (
	"fmt"
	"math"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// The messages of OTLP, written as protobuf: opentelemetry-proto 1.10, trace.proto, common.proto and
// resource.proto. The numbers are those of their fields. A request to export has the same bytes as the
// TracesData or MetricsData in it.

// scopeName names who made the telemetry.
const scopeName = "dragoman"

// encodeSpans returns the request that exports spans of a resource.
func encodeSpans(resource []attribute, version string, spans []*span) []byte {
	inScope := message(nil, 1, scope(version))
	for _, s := range spans {
		inScope = message(inScope, 2, encodeSpan(s))
	}
	ofResource := message(nil, 1, attributes(nil, 1, resource))
	ofResource = message(ofResource, 2, inScope)
	return message(nil, 1, ofResource)
}

// scope returns an InstrumentationScope.
func scope(version string) []byte { return text(text(nil, 1, scopeName), 2, version) }

func encodeSpan(s *span) []byte {
	b := message(nil, 1, s.trace[:])
	b = message(b, 2, s.span[:])
	b = text(b, 3, s.state)
	if s.parent != (spanID{}) {
		b = message(b, 4, s.parent[:])
	}
	b = text(b, 5, s.name)
	b = number(b, 6, uint64(s.kind))
	b = instant(b, 7, s.start)
	b = instant(b, 8, s.end)
	b = attributes(b, 9, s.attributes)
	for _, e := range s.events {
		b = message(b, 11, attributes(text(instant(nil, 1, e.at), 2, e.name), 3, e.attributes))
	}
	if s.failed {
		const statusError = 2
		b = message(b, 15, number(nil, 3, statusError))
	}
	flags := uint32(0x100) // it is known whether the parent is another's
	if s.parentRemote {
		flags |= 0x200
	}
	if s.sampled {
		flags |= 1
	}
	return protowire.AppendFixed32(protowire.AppendTag(b, 16, protowire.Fixed32Type), flags)
}

// attributes appends a field n for each attribute: a KeyValue.
func attributes(b []byte, n protowire.Number, all []attribute) []byte {
	for _, a := range all {
		b = message(b, n, message(text(nil, 1, a.key), 2, anyValue(a.value)))
	}
	return b
}

// anyValue returns an AnyValue. Texts are made valid UTF-8, without which a collector refuses the whole
// request.
func anyValue(value any) []byte {
	switch v := value.(type) {
	case string:
		return message(nil, 1, []byte(valid(v)))
	case bool:
		return protowire.AppendVarint(protowire.AppendTag(nil, 2, protowire.VarintType), protowire.EncodeBool(v))
	case int:
		return protowire.AppendVarint(protowire.AppendTag(nil, 3, protowire.VarintType), uint64(v))
	case float64:
		return double(nil, 4, v)
	case []string:
		var list []byte
		for _, s := range v {
			list = message(list, 1, anyValue(s))
		}
		return message(nil, 5, list)
	}
	panic(fmt.Sprintf("telemetry: an attribute is a %T", value))
}

// message appends a field that is a message, or bytes.
func message(b []byte, n protowire.Number, body []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, n, protowire.BytesType), body)
}

// text appends a field that is a text, and none for "".
func text(b []byte, n protowire.Number, s string) []byte {
	if s == "" {
		return b
	}
	return protowire.AppendString(protowire.AppendTag(b, n, protowire.BytesType), valid(s))
}

func number(b []byte, n protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, n, protowire.VarintType), v)
}

func fixed(b []byte, n protowire.Number, v uint64) []byte {
	return protowire.AppendFixed64(protowire.AppendTag(b, n, protowire.Fixed64Type), v)
}

func double(b []byte, n protowire.Number, v float64) []byte { return fixed(b, n, math.Float64bits(v)) }

// instant appends a time, in nanoseconds of Unix time.
func instant(b []byte, n protowire.Number, t time.Time) []byte {
	return fixed(b, n, uint64(t.UnixNano()))
}
