package main

import (
	"fmt"
	"strings"
)

// column is a figure of a target in its workload.
type column struct {
	title string
	of    func(m measured, t *target) string
}

// find returns the target of this name.
func (m measured) find(name string) *target {
	for _, t := range m.targets {
		if t.name == name {
			return t
		}
	}
	return nil
}

// added is by how much a figure is larger than with nothing between.
func (m measured) added(t *target, of func(*result) float64) float64 {
	return t.median(of) - m.find("direct").median(of)
}

// times is what a target's figure is of ReverseProxy's, where that is large enough to divide by.
func (m measured) times(t *target, figure func(*target) float64) string {
	of := figure(m.find("ReverseProxy"))
	if t.name == "direct" || of < .5 {
		return ""
	}
	return fmt.Sprintf("%.2f", figure(t)/of)
}

func p50(r *result) float64      { return r.latency.P50 }
func firstP50(r *result) float64 { return r.firstText.P50 }

// figure prints one in a column of its own.
func figure(title, format string, of func(*result) float64) column {
	return column{title, func(_ measured, t *target) string {
		if value := t.median(of); value != 0 {
			return fmt.Sprintf(format, value)
		}
		return ""
	}}
}

// ofProgram is the same for what direct has not.
func ofProgram(title, format string, of func(m measured, t *target) float64) column {
	return column{title, func(m measured, t *target) string {
		value := of(m, t)
		if t.child == nil || value == 0 {
			return ""
		}
		return fmt.Sprintf(format, value)
	}}
}

func added(title string, of func(*result) float64) []column {
	return []column{
		ofProgram(title, "%.0f", func(m measured, t *target) float64 { return m.added(t, of) }),
		{"× RP", func(m measured, t *target) string {
			return m.times(t, func(t *target) float64 { return m.added(t, of) })
		}},
	}
}

func cpu(title, format string, of func(*result) float64) []column {
	return []column{
		ofProgram(title, format, func(_ measured, t *target) float64 { return t.median(of) }),
		{"× RP", func(m measured, t *target) string {
			return m.times(t, func(t *target) float64 { return t.median(of) })
		}},
	}
}

var (
	peakColumn = ofProgram("peak memory, MiB", "%.1f", func(_ measured, t *target) float64 {
		return t.median(func(r *result) float64 { return float64(r.top) / (1 << 20) })
	})
	perRequest = cpu("CPU of 1,000 requests, ms", "%.0f", (*result).cpuRequest)
	perEvent   = cpu("CPU of an event, µs", "%.1f", (*result).cpuEvent)

	wholeColumns = append(append([]column{
		figure("p50, µs", "%.0f", p50),
		figure("p99", "%.0f", func(r *result) float64 { return r.latency.P99 }),
		figure("p99.9", "%.0f", func(r *result) float64 { return r.latency.P99_9 }),
	}, added("added p50", p50)...), append(perRequest, peakColumn)...)

	streamColumns = append(append(append([]column{
		figure("p50, µs", "%.0f", p50),
		figure("p99", "%.0f", func(r *result) float64 { return r.latency.P99 }),
	}, added("added p50", p50)...), added("added to the first delta", firstP50)...), append([]column{
		figure("lag of a delta p50, µs", "%.0f", func(r *result) float64 { return r.lag.P50 }),
		figure("p99", "%.0f", func(r *result) float64 { return r.lag.P99 }),
		peakColumn,
	}, perEvent...)...)

	openColumns = append([]column{
		figure("first delta p50, µs", "%.0f", firstP50),
		figure("p99", "%.0f", func(r *result) float64 { return r.firstText.P99 }),
		figure("lag of a delta p50, µs", "%.0f", func(r *result) float64 { return r.lag.P50 }),
		figure("p99", "%.0f", func(r *result) float64 { return r.lag.P99 }),
		figure("p99.9", "%.0f", func(r *result) float64 { return r.lag.P99_9 }),
		ofProgram("processors", "%.2f", func(_ measured, t *target) float64 {
			return t.median(func(r *result) float64 { return r.cpu.Seconds() / r.seconds })
		}),
		ofProgram("memory of a stream, KiB", "%.0f", func(m measured, t *target) float64 { return m.perStream(t) }),
		peakColumn,
	}, perEvent...)
)

var overloadColumns = []column{
	figure("admitted", "%.0f", func(r *result) float64 { return float64(r.requests) / r.seconds }),
	figure("p50, ms", "%.1f", func(r *result) float64 { return r.latency.P50 / 1e3 }),
	figure("p99", "%.1f", func(r *result) float64 { return r.latency.P99 / 1e3 }),
	figure("refused", "%.0f", func(r *result) float64 { return float64(r.refused.N) / r.seconds }),
	figure("529 after p50, ms", "%.2f", func(r *result) float64 { return r.refused.P50 / 1e3 }),
	figure("p99", "%.2f", func(r *result) float64 { return r.refused.P99 / 1e3 }),
	peakColumn,
}

// perStream is the memory of an open stream in KiB: what there is more of under load than
// before the first request. Of few streams the rest of the process would be told.
func (m measured) perStream(t *target) float64 {
	if m.conns < 50 {
		return 0
	}
	return t.median(func(r *result) float64 { return float64(r.steady-t.idle) / 1024 / float64(m.conns) })
}

// table is a table of Markdown.
func table(list []measured, columns []column) string {
	var b strings.Builder
	b.WriteString("| | |")
	for _, c := range columns {
		fmt.Fprintf(&b, " %s |", c.title)
	}
	b.WriteString("\n| --- | --- |" + strings.Repeat(" --: |", len(columns)) + "\n")
	for _, m := range list {
		for i, t := range m.targets {
			name := m.name
			if i > 0 {
				name = ""
			}
			fmt.Fprintf(&b, "| %s | %s |", name, t.name)
			for _, c := range columns {
				value := "failed"
				if t.err == nil {
					value = c.of(m, t)
				}
				fmt.Fprintf(&b, " %s |", value)
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}
