package metrics

import (
	"fmt"
	"io"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"dragoman/translate/messages"
)

// whole returns an exchange in which everything happened.
func whole() *Exchange {
	return &Exchange{
		KeyID: "ci", Dialect: "messages", Model: "claude-2.1", Pattern: "claude-*", Upstream: "east",
		Status: 200, ErrorType: "overloaded_error", Panicked: true,
		Stream: true, StreamBegan: true, Terminal: Failed, UnknownStop: "bored",
		Attempts:   []Attempt{{Upstream: "west", ErrorType: "rate_limit_error"}, {Upstream: "east", ErrorType: "overloaded_error", InPlaceOf: "rate_limit_error"}},
		FirstEvent: time.Second, Duration: 2 * time.Second,
		Decode: time.Microsecond, Render: time.Microsecond, Parse: time.Microsecond, Encode: time.Microsecond,
		InputTokens: 3, OutputTokens: 5, CacheReadTokens: 7, CacheWriteTokens: 11,
		ToolCalls: []ToolCall{{Outcome: "clean"}, {Outcome: "clean"}, {Outcome: "leaked", Reason: messages.ReasonQuoted}}, Dropped: []string{"thinking", "messages.content.cache_control", "mine"},
	}
}

// known returns labels such as a configuration may have.
func known(keys ...string) Labels {
	l := Labels{Keys: map[string]bool{}, Models: map[string]bool{"claude-*": true}, Upstreams: map[string]bool{"east": true, "west": true}}
	for _, id := range keys {
		l.Keys[id] = true
	}
	return l
}

func exposition(t *testing.T, m *Metrics) string {
	t.Helper()
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	body, err := io.ReadAll(w.Result().Body)
	if err != nil || w.Code != 200 {
		t.Fatalf("status %d, %v", w.Code, err)
	}
	return string(body)
}

// dragoman returns the samples of Dragoman's own metrics, without the buckets of histograms.
func dragoman(exposition string) []string {
	var samples []string
	for line := range strings.Lines(exposition) {
		if strings.HasPrefix(line, "dragoman_") && !strings.Contains(line, "_bucket{") {
			samples = append(samples, strings.TrimSpace(line))
		}
	}
	return samples
}

func TestObserve(t *testing.T) {
	m := New("v1")
	m.SetLabels(known("ci"))
	m.Observe(whole())
	labels := `{dialect="messages",model="claude-*",status_class="2xx",stream="true",upstream="east"}`
	want := []string{
		`dragoman_build_info{version="v1"} 1`,
		`dragoman_config_last_reload_success 0`,
		`dragoman_config_last_reload_timestamp_seconds 0`,
		`dragoman_dropped_fields_total{field="messages.content.cache_control"} 1`,
		`dragoman_dropped_fields_total{field="other"} 1`,
		`dragoman_dropped_fields_total{field="thinking"} 1`,
		`dragoman_fallbacks_total{error_type="rate_limit_error",upstream="east"} 1`,
		`dragoman_inflight_body_bytes 0`,
		`dragoman_inflight_requests 0`,
		`dragoman_key_requests_total{key_id="ci",status_class="2xx"} 1`,
		`dragoman_key_tokens_total{key_id="ci",type="cache_read"} 7`,
		`dragoman_key_tokens_total{key_id="ci",type="cache_write"} 11`,
		`dragoman_key_tokens_total{key_id="ci",type="input"} 3`,
		`dragoman_key_tokens_total{key_id="ci",type="output"} 5`,
		`dragoman_max_concurrent 0`,
		`dragoman_open_streams 0`,
		`dragoman_overhead_seconds_sum{stage="decode"} 1e-06`,
		`dragoman_overhead_seconds_count{stage="decode"} 1`,
		`dragoman_overhead_seconds_sum{stage="encode"} 1e-06`,
		`dragoman_overhead_seconds_count{stage="encode"} 1`,
		`dragoman_overhead_seconds_sum{stage="parse"} 1e-06`,
		`dragoman_overhead_seconds_count{stage="parse"} 1`,
		`dragoman_overhead_seconds_sum{stage="render"} 1e-06`,
		`dragoman_overhead_seconds_count{stage="render"} 1`,
		`dragoman_overload_total{gate="bytes"} 0`,
		`dragoman_overload_total{gate="concurrent"} 0`,
		`dragoman_overload_total{gate="connections"} 0`,
		`dragoman_panics_total 1`,
		`dragoman_request_duration_seconds_sum` + labels + ` 2`,
		`dragoman_request_duration_seconds_count` + labels + ` 1`,
		`dragoman_requests_total` + labels + ` 1`,
		`dragoman_stream_terminations_total{outcome="error"} 1`,
		`dragoman_time_to_first_event_seconds_sum` + labels + ` 1`,
		`dragoman_time_to_first_event_seconds_count` + labels + ` 1`,
		`dragoman_tokens_total{model="claude-*",type="cache_read"} 7`,
		`dragoman_tokens_total{model="claude-*",type="cache_write"} 11`,
		`dragoman_tokens_total{model="claude-*",type="input"} 3`,
		`dragoman_tokens_total{model="claude-*",type="output"} 5`,
		`dragoman_tool_calls_total{model="claude-*",outcome="clean",reason="none"} 2`,
		`dragoman_tool_calls_total{model="claude-*",outcome="leaked",reason="quoted"} 1`,
		`dragoman_unknown_stop_reasons_total{upstream="east"} 1`,
		`dragoman_upstream_attempts_total{error_type="overloaded_error",upstream="east"} 1`,
		`dragoman_upstream_attempts_total{error_type="rate_limit_error",upstream="west"} 1`,
		`dragoman_upstream_errors_total{error_type="overloaded_error",upstream="east"} 1`,
		`dragoman_upstream_errors_total{error_type="rate_limit_error",upstream="west"} 1`,
	}
	if got := strings.Join(dragoman(exposition(t, m)), "\n"); got != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

func TestObserveNothingSpecial(t *testing.T) {
	m := New("v1")
	m.Observe(&Exchange{Status: 404, ErrorType: "not_found_error", Terminal: Failed})
	got := strings.Join(dragoman(exposition(t, m)), "\n")
	if want := `dragoman_requests_total{dialect="other",model="other",status_class="4xx",stream="false",upstream="other"} 1`; !strings.Contains(got, want) {
		t.Errorf("got\n%s\nwithout %s", got, want)
	}
	for _, absent := range []string{"upstream_attempts", "upstream_errors", "stream_terminations", "first_event", "overhead", "tokens"} {
		if strings.Contains(got, "dragoman_"+absent) {
			t.Errorf("%s was counted:\n%s", absent, got)
		}
	}
}

func TestExpositionIsClean(t *testing.T) {
	m := New("v1")
	m.SetLabels(known())
	m.Observe(whole())
	m.NewCredentials("east").EndAt(time.Unix(1, 0))
	m.MeasureUpstream("east", true, 1)
	m.ConfigServes("0123456789abcdef")
	problems, err := testutil.GatherAndLint(m.registry)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
}

// Names that clients make up do not add series.
func TestLabelsAreBounded(t *testing.T) {
	m := New("v1")
	m.SetLabels(known("ci"))
	m.Observe(whole())
	observe := func(i int) {
		made := fmt.Sprint("made-up-", i)
		e := whole()
		e.Model, e.UpstreamModel, e.RequestID, e.ClientRequestID, e.KeyID = made, made, made, made, made
		m.Observe(e)
		e.Pattern, e.Upstream, e.Attempts = made, made, []Attempt{{Upstream: made, ErrorType: "overloaded_error"}}
		m.Observe(e)
		e.Dialect, e.ErrorType, e.Status = made, made, 1000+i
		e.ToolCalls, e.Dropped = []ToolCall{{Outcome: made}}, []string{made, "messages." + made, "tools.tools.tools.tools.tools.tools"}
		m.Observe(e)
	}
	observe(0)
	before, err := testutil.GatherAndCount(m.registry)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 1000 {
		observe(1 + i)
	}
	if after, err := testutil.GatherAndCount(m.registry); err != nil || after != before {
		t.Errorf("%d series became %d (%v)", before, after, err)
	}
}

// When a reload removes a key, a model or an upstream, its series end. Exchanges that still run under such a name
// create no new series.
func TestNamesThatAreGone(t *testing.T) {
	m := New("v1")
	before := known("ci", "old")
	before.Models["old"], before.Upstreams["old"] = true, true
	m.SetLabels(before)
	gone := whole()
	gone.KeyID, gone.Pattern, gone.Upstream, gone.Attempts = "old", "old", "old", []Attempt{{Upstream: "old", ErrorType: "api_error", InPlaceOf: "api_error"}}
	count := func() {
		m.Observe(whole())
		m.Observe(gone)
		m.NewCredentials("old").EndAt(time.Unix(1, 0))
		m.MeasureUpstream("old", false, 1)
	}
	count()
	if got := exposition(t, m); strings.Count(got, `="old"`) < 15 {
		t.Errorf("before: %s", got)
	}
	m.SetLabels(known("ci"))
	count()
	got := exposition(t, m)
	for text, want := range map[string]bool{
		`key_requests_total{key_id="ci",status_class="2xx"} 2`:                                                 true,
		`key_requests_total{key_id="other",status_class="2xx"} 1`:                                              true,
		`key_tokens_total{key_id="other",type="output"} 5`:                                                     true,
		`requests_total{dialect="messages",model="other",status_class="2xx",stream="true",upstream="other"} 1`: true,
		`upstream_errors_total{error_type="api_error",upstream="other"} 1`:                                     true,
		`="old"`: false,
	} {
		if strings.Contains(got, text) != want {
			t.Errorf("%s is there: %v\n%s", text, !want, got)
		}
	}
}

// Only the hash of the current configuration has a series.
func TestConfigInfo(t *testing.T) {
	m := New("v1")
	m.ConfigServes("aaaa")
	m.ConfigRefused()
	if got := exposition(t, m); !strings.Contains(got, "config_last_reload_success 0") || !strings.Contains(got, `config_info{hash="aaaa"} 1`) {
		t.Error(got)
	}
	m.ConfigServes("bbbb")
	if got := exposition(t, m); !strings.Contains(got, "config_last_reload_success 1") || strings.Contains(got, "aaaa") || !strings.Contains(got, `config_info{hash="bbbb"} 1`) {
		t.Error(got)
	}
}

func TestPath(t *testing.T) {
	for path, want := range map[string]string{
		"":                   "",
		"messages.3.content": "messages.3.content",
		"tools.0.input_schema.properties.mine.type": "tools.0.input_schema.properties.*.type",
		"messages.12345678":                         "messages.*",
		strings.Repeat("messages.", 100):            strings.Repeat("messages.", 12) + "*",
	} {
		if got := Path(path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

// When a reload replaces an upstream, the expiry of its old credentials is forgotten. The new upstream with this name
// may have credentials that never expire, while the old one still renews its own until its answers end.
func TestReplacedCredentials(t *testing.T) {
	m := New("v1")
	m.SetLabels(known())
	before, after := m.NewCredentials("east"), m.NewCredentials("east")
	ends := func(at string) {
		t.Helper()
		_, line, _ := strings.Cut(exposition(t, m), `dragoman_credential_expiry_timestamp_seconds{upstream="east"} `)
		if line, _, _ = strings.Cut(line, "\n"); line != at {
			t.Errorf("they end at %q, want %q", line, at)
		}
	}
	before.EndAt(time.Unix(1, 0))
	ends("1")
	before.Replace()
	before.EndAt(time.Unix(2, 0))
	ends("")
	after.EndAt(time.Unix(3, 0))
	before.EndAt(time.Unix(4, 0))
	ends("3")
}
