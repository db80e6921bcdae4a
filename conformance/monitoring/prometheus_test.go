package monitoring

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"dragoman/conformance/install"
)

// prometheus is the address of a running Prometheus.
type prometheus string

// series is the result of a query: the labels of each series.
type series []map[string]string

var listening = regexp.MustCompile(`msg="Listening on" address=([0-9.:]+)`)

// scrape starts a Prometheus with the configuration of the Compose file, but with another target and shorter
// intervals.
func scrape(t *testing.T, target string) prometheus {
	t.Helper()
	install.Need(t, "prometheus")
	var config map[string]any
	if err := yaml.Unmarshal([]byte(read(t, compose+"/prometheus.yaml")), &config); err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	install.Copy(t, folder, monitoring+"/alerts.yaml")
	config["global"] = map[string]any{"scrape_interval": "1s", "evaluation_interval": "1s"}
	text, err := yaml.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(text), "dragoman:8485", target, 1)
	if !strings.Contains(changed, target) {
		t.Fatalf("the target is not dragoman:8485:\n%s", text)
	}
	file := filepath.Join(folder, "prometheus.yaml")
	if err := os.WriteFile(file, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	address := start(t, listening, nil, "prometheus", "--config.file="+file,
		"--storage.tsdb.path="+filepath.Join(folder, "data"), "--web.listen-address=127.0.0.1:0")
	p := prometheus("http://" + address[0])
	eventually(t, startTime, func() string {
		if _, err := p.query("vector(1)"); err != nil {
			return "Prometheus does not answer: " + err.Error()
		}
		return ""
	})
	return p
}

// query returns the series of an instant query.
func (p prometheus) query(expr string) (series, error) {
	return p.get("query", url.Values{"query": {expr}})
}

// queryRange returns the series of a query over the last seconds, like a panel. It skips series without a
// number in that time, because a panel would draw nothing.
func (p prometheus) queryRange(expr string) (series, error) {
	now := time.Now().Unix()
	return p.get("query_range", url.Values{
		"query": {expr}, "step": {"1"},
		"start": {strconv.FormatInt(now-10, 10)}, "end": {strconv.FormatInt(now, 10)},
	})
}

func (p prometheus) get(path string, parameters url.Values) (series, error) {
	response, err := http.Get(string(p) + "/api/v1/" + path + "?" + parameters.Encode())
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	var answer struct {
		Status, Error string
		Data          struct {
			ResultType string
			Result     json.RawMessage
		}
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return nil, err
	}
	if answer.Status != "success" {
		return nil, fmt.Errorf("%s", answer.Error)
	}
	if answer.Data.ResultType == "scalar" {
		return series{{}}, nil
	}
	var result []struct {
		Metric map[string]string
		Value  []any
		Values [][]any
	}
	if err := json.Unmarshal(answer.Data.Result, &result); err != nil {
		return nil, err
	}
	var found series
	for _, s := range result {
		for _, value := range append(s.Values, s.Value) {
			if len(value) == 2 && value[1] != "NaN" {
				found = append(found, s.Metric)
				break
			}
		}
	}
	return found, nil
}
