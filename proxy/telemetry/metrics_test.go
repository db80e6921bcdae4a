package telemetry

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"dragoman/proxy"
	"dragoman/upstream"
)

// describeMetrics writes the metrics as text, without times.
func (w watched) describeMetrics(t *testing.T) string {
	t.Helper()
	families, err := w.instruments.gather()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, f := range families {
		fmt.Fprintf(&b, "%s %s in %s\n", f.GetType(), f.GetName(), f.unit)
		for _, m := range f.Metric {
			var labels []string
			for _, a := range encodeLabels(m.Label) {
				labels = append(labels, fmt.Sprintf("%s=%v", a.key, a.value))
			}
			slices.Sort(labels)
			value := fmt.Sprint(m.Counter.GetValue())
			if f.GetType() == dto.MetricType_HISTOGRAM {
				value = fmt.Sprintf("%d values in %d buckets", m.Histogram.GetSampleCount(), len(m.Histogram.Bucket)+1)
				if f.unit != "s" {
					value += fmt.Sprintf(", together %v", m.Histogram.GetSampleSum())
				}
			}
			fmt.Fprintf(&b, "  %s: %s\n", strings.Join(labels, " "), value)
		}
	}
	return b.String()
}

// TestMetrics holds the names, labels and values of all metrics, in both generations.
func TestMetrics(t *testing.T) {
	var all bytes.Buffer
	for _, optIn := range []string{"", "gen_ai_latest_experimental"} {
		w := watch(t, []answer{whole, {err: busy}}, nil, "OTEL_SEMCONV_STABILITY_OPT_IN="+optIn)
		w.post("/v1/messages", question) // answered
		w.post("/v1/messages", question) // passed over
		fmt.Fprintf(&all, "== OTEL_SEMCONV_STABILITY_OPT_IN=%s\n%s", optIn, w.describeMetrics(t))
	}
	const file = "testdata/metrics.txt"
	if *update {
		if err := os.WriteFile(file, all.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), all.String()); diff != "" {
		t.Errorf("metrics (-want +got):\n%s", diff)
	}
}

// TestSeriesBeginAnew: a series that was ended and has come back counts from then on.
func TestSeriesBeginAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		labels := []string{"model"}
		counted := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "c", Help: "c"}, labels)
		timed := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "h", Help: "h"}, labels)
		registry := prometheus.NewRegistry()
		registry.MustRegister(counted, timed)
		for range 2 {
			time.Sleep(time.Hour)
			counted.Reset()
			timed.Reset()
			counted.WithLabelValues("a").Inc()
			timed.WithLabelValues("a").Observe(1)
		}
		again := time.Now()
		time.Sleep(time.Hour)
		families, err := registry.Gather()
		if err != nil || len(families) != 2 {
			t.Fatal(err, families)
		}
		for _, f := range families {
			body := encodeFamily(family{f, ""}, began, time.Now())
			if !bytes.Contains(body, instant(nil, 2, again)) || bytes.Contains(body, instant(nil, 2, began)) {
				t.Errorf("%s does not begin when its series did", f.GetName())
			}
		}
	})
}

// TestModelsAreBounded: clients cannot make up labels without end, where an entry is for many models.
func TestModelsAreBounded(t *testing.T) {
	w := watch(t, []answer{whole}, func(o *proxy.Options) {
		o.Routes = append([]proxy.Route{{Name: "claude-fixed", UpstreamModel: o.Routes[0].UpstreamModel}}, o.Routes...)
		o.Routes[1].Fallbacks = nil
	})
	for i := range mostModels + 50 {
		w.post("/v1/messages", strings.Replace(question, "claude-2.1", fmt.Sprint("claude-", i), 1))
	}
	w.post("/v1/messages", strings.Replace(question, "claude-2.1", "claude-fixed", 1))
	text := w.describeMetrics(t)
	for name, want := range map[string]int{"=claude-0 ": 1, "=claude-99 ": 1, "=claude-100 ": 0, "=_OTHER ": 1, "=claude-fixed ": 1} {
		_, durations, _ := strings.Cut(text, "HISTOGRAM gen_ai.client.operation.duration")
		durations, _, _ = strings.Cut(durations, "HISTOGRAM")
		if got := strings.Count(durations, attrRequestModel+name); got != want {
			t.Errorf("%d series of %s, want %d", got, name, want)
		}
	}

	refusing := watch(t, []answer{{err: &upstream.Error{Status: 404, Type: "not_found_error"}}}, func(o *proxy.Options) { o.Routes[0].Fallbacks = nil })
	refusing.post("/v1/messages", question)
	if text := refusing.describeMetrics(t); strings.Contains(text, "claude-2.1") {
		t.Errorf("a model that never answered has a series of its own:\n%s", text)
	}
}

// TestModelsThatAreGone: a model that a configuration names no more takes its series along, also one of an
// entry for many, and what still answers for it makes none.
func TestModelsThatAreGone(t *testing.T) {
	var routes []proxy.Route
	w := watch(t, []answer{whole}, func(o *proxy.Options) {
		east := o.Routes[0].UpstreamModel
		gone := east
		gone.Model = "id-gone"
		routes = []proxy.Route{
			{Name: "stays", UpstreamModel: east},
			{Name: "goes", UpstreamModel: gone},
			{Name: "claude-2*", UpstreamModel: east},
			{Name: "claude-3*", UpstreamModel: east},
		}
		o.Routes = routes
	})
	ask := func() {
		for _, name := range []string{"stays", "goes", "claude-2.1", "claude-3.0"} {
			w.post("/v1/messages", strings.Replace(question, "claude-2.1", name, 1))
		}
	}
	series := func(want map[string]bool) {
		t.Helper()
		text := w.describeMetrics(t)
		for name, there := range want {
			if strings.Contains(text, attrRequestModel+"="+name+" ") != there {
				t.Errorf("%s has series: %v", name, !there)
			}
		}
	}
	ask()
	series(map[string]bool{"stays": true, "id-gone": true, "claude-2.1": true, "claude-3.0": true, other: false})
	w.Serve([]proxy.Route{routes[0], routes[2]})
	series(map[string]bool{"stays": true, "id-gone": false, "claude-2.1": true, "claude-3.0": false, other: false})
	ask() // of the server before
	series(map[string]bool{"stays": true, "id-gone": false, "claude-2.1": true, "claude-3.0": false, other: true})
	if n := len(w.instruments.models); n != 1 {
		t.Errorf("%d names are kept", n)
	}
}
