package proxy

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"

	"dragoman/metrics"
)

// The metrics count every path of a dialect under the dialect's name.
func TestDialectLabels(t *testing.T) {
	counted := map[string]bool{}
	router := newServer(t, completing(endOfTurn)).Handler().(chi.Router)
	err := chi.Walk(router, func(method, route string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		if method != http.MethodPost || strings.Contains(route, "*") || strings.HasPrefix(route, "/v1/complete") || strings.HasSuffix(route, "/batches") {
			return nil // without a dialect of its own
		}
		path := regexp.MustCompile(`\{[a-z]+\}`).ReplaceAllString(strings.Replace(route, "{call}", "claude-2.1:rawPredict", 1), "claude-2.1")
		s := newServer(t, completing(endOfTurn))
		postTo(s, path, "{}")
		label := regexp.MustCompile(`dragoman_requests_total\{dialect="([a-z_]+)"`).FindStringSubmatch(scrape(t, s))
		if label == nil || label[1] == "other" {
			t.Errorf("%s is counted as %v", route, label)
			return nil
		}
		counted[label[1]] = true
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []dialect{messagesAPI, bedrockInvoke, bedrockConverse, bedrockCount, vertex, chatCompletions} {
		if !counted[d.name] {
			t.Errorf("nothing is counted as %s", d.name)
		}
		delete(counted, d.name)
	}
	for name := range counted {
		t.Errorf("%s is no dialect", name)
	}
}

// The metrics count fields under each API's names, but not under names that the client made up.
func TestDroppedFieldLabels(t *testing.T) {
	for field, want := range map[string]string{
		"max_tokens": "max_tokens", "inferenceConfig.maxTokens": "inferenceConfig.maxTokens", "inferenceConfig.temperature": "inferenceConfig.temperature",
		"performanceConfig": "performanceConfig", "serviceTier": "serviceTier", "requestMetadata": "requestMetadata", "promptVariables": "promptVariables",
		"guardrailConfig.trace": "guardrailConfig.trace", "additionalModelRequestFields.top_k": "additionalModelRequestFields.top_k",
		"messages.name": "messages.name", "tool_choice.allowed_tools.tools": "tool_choice.allowed_tools.tools", "n": "n", "messages.content.image_url.detail": "messages.content.image_url.detail",
		"messages.content.cachePoint": "messages.content.cachePoint", "additionalModelRequestFields.mine": "other", "mine": "other",
	} {
		if got := metrics.Field(field); got != want {
			t.Errorf("%s is counted as %s", field, got)
		}
	}
}
