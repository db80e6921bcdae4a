package proxy

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"
)

// imported is the ARN of an imported model.
const imported = "arn:aws:bedrock:us-east-1:111122223333:imported-model/abcdefghijkl"

func getSigned(s *Server, path, authorization string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	answerTo(s, w, newRequest("GET", path, "", "Authorization", authorization))
	return w
}

// An AWS client that looks for models finds the served names in Bedrock's lists.
func TestBedrockLists(t *testing.T) {
	up := &listing{answer: func(context.Context, int64) ([]string, error) {
		return []string{"meta.llama3-70b-instruct-v1:0", imported, "us.anthropic.claude-opus-4-6-v1"}, nil
	}}
	const key = "AKIDCLIENT"
	s := newServer(t, up, func(o *Options) {
		o.Keys = []Key{NewKey(key)}
		o.Routes = []Route{passing("claude-2.1", "east"), passing("anthropic.claude-v2:1", "east"), passing("eu.anthropic.claude-sonnet-4-5-v1:0", "east"), passing("*", "east")}
	})
	get := func(path string) (status int, answer struct {
		Models []struct {
			ID        string                  `json:"modelId"`
			ARN       string                  `json:"modelArn"`
			Provider  string                  `json:"providerName"`
			Input     []string                `json:"inputModalities"`
			Lifecycle struct{ Status string } `json:"modelLifecycle"`
		} `json:"modelSummaries"`
		Profiles []struct {
			ID     string `json:"inferenceProfileId"`
			ARN    string `json:"inferenceProfileArn"`
			Type   string
			Models []struct {
				ARN string `json:"modelArn"`
			}
		} `json:"inferenceProfileSummaries"`
		Next    string `json:"nextToken"`
		Message string
	}) {
		t.Helper()
		w := getSigned(s, path, "AWS4-HMAC-SHA256 Credential="+key+"/20261123/eu-west-1/bedrock/aws4_request, SignedHeaders=host, Signature=0")
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
			t.Fatalf("%s: %v in %s", path, err, w.Body)
		}
		return w.Code, answer
	}
	models := func(query string) string {
		status, answer := get("/foundation-models" + query)
		if status != 200 || answer.Models == nil {
			t.Errorf("%s: %d %+v", query, status, answer)
		}
		var ids []string
		for _, m := range answer.Models {
			if ids = append(ids, m.ID); m.Lifecycle.Status != "ACTIVE" || len(m.Input) == 0 || m.ARN != "arn:aws:bedrock:eu-west-1::foundation-model/"+m.ID {
				t.Errorf("%+v", m)
			}
		}
		return strings.Join(ids, " ")
	}
	for query, want := range map[string]string{
		"":                             "claude-2.1 anthropic.claude-v2:1 meta.llama3-70b-instruct-v1:0",
		"?byProvider=Meta":             "meta.llama3-70b-instruct-v1:0",
		"?byOutputModality=TEXT":       "claude-2.1 anthropic.claude-v2:1 meta.llama3-70b-instruct-v1:0",
		"?byOutputModality=EMBEDDING":  "",
		"?byInferenceType=PROVISIONED": "",
		"?byCustomizationType=DISTILLATION&byInferenceType=ON_DEMAND": "",
	} {
		if got := models(query); got != want {
			t.Errorf("%q: %s", query, got)
		}
	}
	var profiles []string
	for next := ""; ; {
		status, answer := get("/inference-profiles?type=SYSTEM_DEFINED&maxResults=1" + next)
		if status != 200 || len(answer.Profiles) != 1 {
			t.Fatalf("%d %+v", status, answer)
		}
		p := answer.Profiles[0]
		if profiles = append(profiles, p.ID); p.Type != "SYSTEM_DEFINED" || !strings.HasSuffix(p.ARN, ":inference-profile/"+p.ID) || !strings.HasSuffix(p.Models[0].ARN, "/"+p.ID[3:]) {
			t.Errorf("%+v", p)
		}
		if answer.Next == "" {
			break
		}
		next = "&nextToken=" + answer.Next
	}
	if got := strings.Join(profiles, " "); got != "eu.anthropic.claude-sonnet-4-5-v1:0 us.anthropic.claude-opus-4-6-v1" {
		t.Error(got)
	}
	if status, answer := get("/inference-profiles?type=APPLICATION"); status != 200 || answer.Profiles == nil || len(answer.Profiles) > 0 {
		t.Errorf("%d %+v", status, answer)
	}
	if status, answer := get("/imported-models?maxResults=1"); status != 200 || len(answer.Models) != 1 || answer.Models[0].ARN != imported || answer.Next != "" {
		t.Errorf("%d %+v", status, answer)
	}
	if status, answer := get("/imported-models?nameContains=zzz"); status != 200 || answer.Models == nil || len(answer.Models) > 0 {
		t.Errorf("%d %+v", status, answer)
	}
	for _, query := range []string{"?maxResults=0", "?maxResults=x", "?nextToken=nowhere"} {
		if status, answer := get("/inference-profiles" + query); status != 400 || answer.Message == "" {
			t.Errorf("%s: %d %+v", query, status, answer)
		}
	}
	if w := getSigned(s, "/foundation-models", ""); w.Code != 403 || w.Header().Get("X-Amzn-Errortype") != "UnrecognizedClientException" {
		t.Errorf("without a key: %d %s", w.Code, w.Body)
	}
}
