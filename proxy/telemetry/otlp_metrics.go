package telemetry

import (
	"math"
	"strconv"
	"time"

	dto "github.com/prometheus/client_model/go"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// Metrics as Prometheus's library gathers them, written as those of OTLP (metrics.proto). All are totals
// since the process began, or since their series did: OTLP calls that cumulative.

const cumulative = 2

// family is the metrics of one name, and their unit, "" where the name says it.
type family struct {
	*dto.MetricFamily
	unit string
}

// encodeMetrics returns the request that exports metrics of a resource, as they are now. began is when
// the process did.
func encodeMetrics(resource []attribute, version string, families []family, began, now time.Time) []byte {
	inScope := message(nil, 1, scope(version))
	for _, f := range families {
		if body := encodeFamily(f, began, now); body != nil {
			inScope = message(inScope, 2, body)
		}
	}
	ofResource := message(nil, 1, attributes(nil, 1, resource))
	ofResource = message(ofResource, 2, inScope)
	return message(nil, 1, ofResource)
}

// encodeFamily returns a Metric, or nil for a kind that we have none of.
func encodeFamily(f family, began, now time.Time) []byte {
	b := text(text(text(nil, 1, f.GetName()), 2, f.GetHelp()), 3, f.unit)
	var points []byte
	for _, m := range f.Metric {
		labels := encodeLabels(m.Label)
		switch f.GetType() {
		case dto.MetricType_COUNTER:
			points = message(points, 1, numberPoint(labels, m.Counter.GetValue(), since(m.Counter.GetCreatedTimestamp(), began), now))
		case dto.MetricType_GAUGE:
			points = message(points, 1, numberPoint(labels, m.Gauge.GetValue(), time.Time{}, now))
		case dto.MetricType_HISTOGRAM:
			points = message(points, 1, histogramPoint(labels, m.Histogram, since(m.Histogram.GetCreatedTimestamp(), began), now))
		}
	}
	switch f.GetType() {
	case dto.MetricType_COUNTER:
		return message(b, 7, number(number(points, 2, cumulative), 3, 1)) // a Sum, which is monotonic
	case dto.MetricType_GAUGE:
		return message(b, 5, points)
	case dto.MetricType_HISTOGRAM:
		return message(b, 9, number(points, 2, cumulative))
	}
	return nil // a summary: Go's collector has one of pauses, which its histograms have too
}

// since returns from when on a total counts. A reload ends series, and one of the same labels that comes
// back begins at nothing: a collector would take that for a total that fell.
func since(created *timestamppb.Timestamp, began time.Time) time.Time {
	if at := created.AsTime(); created != nil && at.After(began) {
		return at
	}
	return began
}

// encodeLabels returns labels as attributes: all are texts, but the port of a server.
func encodeLabels(labels []*dto.LabelPair) []attribute {
	var all []attribute
	for _, l := range labels {
		switch port, err := strconv.Atoi(l.GetValue()); {
		case l.GetValue() == "": // none, as Prometheus means it
		case l.GetName() == attrServerPort && err == nil:
			all = append(all, attribute{attrServerPort, port})
		default:
			all = append(all, attribute{l.GetName(), l.GetValue()})
		}
	}
	return all
}

// numberPoint returns a NumberDataPoint.
func numberPoint(labels []attribute, value float64, began, now time.Time) []byte {
	var b []byte
	if !began.IsZero() {
		b = instant(b, 2, began)
	}
	b = double(instant(b, 3, now), 4, value)
	return attributes(b, 7, labels)
}

// histogramPoint returns a HistogramDataPoint. Prometheus counts in a bucket what is in those below it
// as well, and OTLP does not.
func histogramPoint(labels []attribute, h *dto.Histogram, began, now time.Time) []byte {
	b := instant(instant(nil, 2, began), 3, now)
	b = fixed(b, 4, h.GetSampleCount())
	b = double(b, 5, h.GetSampleSum())
	var counts, bounds []byte
	below := uint64(0)
	for _, bucket := range h.Bucket {
		if math.IsInf(bucket.GetUpperBound(), 1) {
			continue
		}
		counts = protowire.AppendFixed64(counts, bucket.GetCumulativeCount()-below)
		bounds = protowire.AppendFixed64(bounds, math.Float64bits(bucket.GetUpperBound()))
		below = bucket.GetCumulativeCount()
	}
	counts = protowire.AppendFixed64(counts, h.GetSampleCount()-below)
	b = message(message(b, 6, counts), 7, bounds)
	return attributes(b, 9, labels)
}
