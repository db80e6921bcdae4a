package telemetry

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"dragoman/proxy"
	"dragoman/upstream"
)

// describeMetrics writes the metrics as text, without times.
func (w watched) describeMetrics(t *testing.T) string {
	t.Helper()
	scopes, err := w.instruments.producer("test").Produce(t.Context())
	if err != nil || len(scopes) != 1 {
		t.Fatal(err, scopes)
	}
	var b strings.Builder
	for _, m := range scopes[0].Metrics {
		switch data := m.Data.(type) {
		case metricdata.Sum[float64]:
			fmt.Fprintf(&b, "COUNTER %s in %s\n", m.Name, m.Unit)
			for _, p := range data.DataPoints {
				fmt.Fprintf(&b, "  %s: %v\n", describeLabels(p.Attributes), p.Value)
			}
		case metricdata.Histogram[float64]:
			fmt.Fprintf(&b, "HISTOGRAM %s in %s\n", m.Name, m.Unit)
			for _, p := range data.DataPoints {
				fmt.Fprintf(&b, "  %s: %d values in %d buckets", describeLabels(p.Attributes), p.Count, len(p.BucketCounts))
				if m.Unit != "s" {
					fmt.Fprintf(&b, ", together %v", p.Sum)
				}
				b.WriteByte('\n')
			}
		}
	}
	return b.String()
}

func describeLabels(set attribute.Set) string {
	var labels []string
	for _, a := range set.ToSlice() {
		labels = append(labels, fmt.Sprintf("%s=%v", a.Key, a.Value.AsInterface()))
	}
	return strings.Join(labels, " ")
}

// TestMetrics fixes the names, labels and values of all metrics, in both generations.
func TestMetrics(t *testing.T) {
	var all bytes.Buffer
	for _, optIn := range []string{"", "gen_ai_latest_experimental"} {
		w := watch(t, []answer{whole, {err: busy}}, nil, "OTEL_SEMCONV_STABILITY_OPT_IN="+optIn)
		w.post("/v1/messages", question) // answered
		w.post("/v1/messages", question) // passed over
		fmt.Fprintf(&all, "== OTEL_SEMCONV_STABILITY_OPT_IN=%s\n%s", optIn, w.describeMetrics(t))
	}
	hold(t, "testdata/metrics.txt", all.String())
}

// TestPrometheus: the exporter for Prometheus has our metrics and the process's. If its port is taken, telemetry does
// not start.
func TestPrometheus(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	host, port, _ := net.SplitHostPort(taken.Addr().String())
	w := watch(t, []answer{whole}, nil, "OTEL_TRACES_EXPORTER=none", "OTEL_METRICS_EXPORTER=prometheus", "OTEL_EXPORTER_PROMETHEUS_HOST="+host, "OTEL_EXPORTER_PROMETHEUS_PORT="+port)
	w.post("/v1/messages", question)
	of := prometheus.NewRegistry()
	of.MustRegister(collectors.NewGoCollector())
	if err := w.Start(of); err == nil {
		t.Error("telemetry starts at a port that is taken")
	}
	taken.Close()
	if err := w.Start(of); err != nil {
		t.Fatal(err)
	}
	defer w.Close(t.Context())
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Get("http://" + taken.Addr().String() + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, _ := io.ReadAll(response.Body)
	if text := string(body); !strings.Contains(text, "gen_ai_client_token_usage") || !strings.Contains(text, "go_goroutines") {
		t.Errorf("%s\n%.500s", response.Status, text)
	}
}

// TestModelsAreBounded: clients cannot create any number of labels through a wildcard.
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

// TestModelsThatAreGone: when a reload removes a model, its series end, also for a model under a wildcard. Answers that
// are still in progress create no series.
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
	ask() // through the previous server
	series(map[string]bool{"stays": true, "id-gone": false, "claude-2.1": true, "claude-3.0": false, other: true})
	if n := len(w.instruments.models); n != 1 {
		t.Errorf("%d names are kept", n)
	}
}
