package upstream

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"
	"github.com/google/go-cmp/cmp"
)

// recorder is a transport that keeps the requests and sends none.
type recorder struct{ requests []*http.Request }

func (r *recorder) RoundTrip(request *http.Request) (*http.Response, error) {
	own := *request
	if own.Body != nil {
		body, _ := io.ReadAll(own.Body)
		own.Body = io.NopCloser(strings.NewReader(string(body)))
	}
	r.requests = append(r.requests, &own)
	return &http.Response{StatusCode: 400, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(`{"message":"no"}`)), Request: request}, nil
}

// TestRequestIsTheSDKs holds that a request is what the SDK would send, but for the body, the time,
// the id of the call and the signature of these.
func TestRequestIsTheSDKs(t *testing.T) {
	guardrail := &Guardrail{ID: "gr1", Version: "DRAFT", Trace: "enabled"}
	tests := []struct {
		name, model, endpoint string
		guardrail             *Guardrail
		env                   map[string]string
	}{
		{name: "a region's endpoint", model: "anthropic.claude-v2:1"},
		{name: "an ARN", model: "arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-3-haiku-20240307-v1:0"},
		{name: "an endpoint with a path", model: "anthropic.claude-v2", endpoint: "https://gateway.example:8443/aws%2Fbedrock/x/"},
		{name: "plain HTTP", model: "anthropic.claude-v2", endpoint: "http://127.0.0.1:9"},
		{name: "FIPS", model: "anthropic.claude-v2", env: map[string]string{"AWS_USE_FIPS_ENDPOINT": "true"}},
		{name: "dual stack", model: "anthropic.claude-v2", env: map[string]string{"AWS_USE_DUALSTACK_ENDPOINT": "true"}},
		{name: "an endpoint of the environment", model: "anthropic.claude-v2", env: map[string]string{"AWS_ENDPOINT_URL_BEDROCK_RUNTIME": "https://vpce.example/p"}},
		{name: "China", model: "anthropic.claude-v2", env: map[string]string{"AWS_REGION": "cn-north-1"}},
		{name: "a session", model: "anthropic.claude-v2", env: map[string]string{"AWS_SESSION_TOKEN": "session"}},
		{name: "a bearer token", model: "anthropic.claude-v2", env: map[string]string{"AWS_BEARER_TOKEN_BEDROCK": "token"}},
		{name: "an application's id", model: "anthropic.claude-v2", env: map[string]string{"AWS_SDK_UA_APP_ID": "app"}},
		{name: "a guardrail", model: "anthropic.claude-v2", guardrail: guardrail},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv("AWS_REGION", "us-east-1")
			t.Setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
			t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
			for name, value := range test.env {
				t.Setenv(name, value)
			}
			var sent recorder
			b, err := NewBedrock(t.Context(), BedrockOptions{Endpoint: test.endpoint, HTTPClient: &http.Client{Transport: &sent}})
			if err != nil {
				t.Fatal(err)
			}
			creds, err := b.credentials.get(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			m := Model{ID: test.model, Guardrail: test.guardrail}
			bySDK := map[*operation]func() error{
				invokeModel: func() error {
					in := &bedrockruntime.InvokeModelWithResponseStreamInput{
						ModelId: &m.ID, Body: []byte(`{"a":1}`), ContentType: aws.String("application/json"), Accept: aws.String("application/json"),
					}
					if g := m.Guardrail; g != nil {
						in.GuardrailIdentifier, in.GuardrailVersion, in.Trace = &g.ID, &g.Version, types.TraceEnabled
					}
					_, err := b.client.InvokeModelWithResponseStream(t.Context(), in, leased(creds))
					return err
				},
				converseStream: func() error {
					_, err := b.client.ConverseStream(t.Context(), &bedrockruntime.ConverseStreamInput{ModelId: &m.ID}, leased(creds))
					return err
				},
				converseWhole: func() error {
					_, err := b.client.Converse(t.Context(), &bedrockruntime.ConverseInput{ModelId: &m.ID}, leased(creds))
					return err
				},
				countTokens: func() error {
					_, err := b.client.CountTokens(t.Context(), &bedrockruntime.CountTokensInput{
						ModelId: &m.ID, Input: &types.CountTokensInputMemberInvokeModel{Value: types.InvokeModelTokensRequest{Body: []byte("{}")}},
					}, leased(creds))
					return err
				},
			}
			for op, send := range bySDK {
				sent.requests = nil
				if err := send(); err == nil {
					t.Fatal("no error")
				}
				for range 2 { // the second has no rehearsal before it
					if _, err := b.open(t.Context(), m, op, []byte(`{"a":1}`)); err == nil {
						t.Fatal("no error")
					}
				}
				if len(sent.requests) != 3 {
					t.Fatalf("%s: %d requests", op.name, len(sent.requests))
				}
				if bySDK := sent.requests[0]; bySDK.Header.Get("X-Amz-Date") != "" {
					if diff := cmp.Diff(bySDK.Header.Get("Authorization"), signedAgain(t, b, op, creds, bySDK)); diff != "" {
						t.Errorf("%s: the SDK's signature (-), ours (+):\n%s", op.name, diff)
					}
				}
				for _, ours := range sent.requests[1:] {
					if diff := cmp.Diff(lasting(sent.requests[0]), lasting(ours)); diff != "" {
						t.Errorf("%s: the SDK's (-), ours (+):\n%s", op.name, diff)
					}
				}
			}
		})
	}
}

// TestRefusalsKeepTheConnection holds that a refusal is read to its end, whatever it is: the next
// request needs no connection of its own.
func TestRefusalsKeepTheConnection(t *testing.T) {
	t.Setenv("AWS_REGION", "us-east-1")
	t.Setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	for name, refusal := range map[string]string{
		"JSON":           `{"message":"slow down"}`,
		"JSON and more":  `{"message":"slow down"}` + strings.Repeat("\n", 4<<10),
		"a page of HTML": "<html>" + strings.Repeat("no ", 1<<10) + "</html>",
	} {
		t.Run(name, func(t *testing.T) {
			var connections atomic.Int32
			s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				w.WriteHeader(http.StatusTooManyRequests)
				_, _ = io.WriteString(w, refusal)
			}))
			s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
				if state == http.StateNew {
					connections.Add(1)
				}
			}
			s.Start()
			defer s.Close()
			transport := new(http.Transport)
			defer transport.CloseIdleConnections()
			b, err := NewBedrock(t.Context(), BedrockOptions{Endpoint: s.URL, HTTPClient: &http.Client{Transport: transport}})
			if err != nil {
				t.Fatal(err)
			}
			for range 5 {
				var refused *Error
				_, err := b.open(t.Context(), Model{ID: "anthropic.claude-v2"}, invokeModel, []byte("{}"))
				if !errors.As(err, &refused) || refused.Status != http.StatusTooManyRequests {
					t.Fatalf("%v", err)
				}
			}
			if n := connections.Load(); n != 1 {
				t.Errorf("%d connections for five requests", n)
			}
		})
	}
}

// leased has the SDK sign with the credentials of a lease, as it would with its own.
func leased(l *lease[aws.Credentials]) func(*bedrockruntime.Options) {
	return func(o *bedrockruntime.Options) {
		o.Credentials = aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) { return l.value, nil })
	}
}

// signedAgain returns how we sign a request that the SDK has signed, at the same time.
func signedAgain(t *testing.T, b *Bedrock, op *operation, creds *lease[aws.Credentials], request *http.Request) string {
	t.Helper()
	plan, err := b.blueprint(t.Context(), op)
	if err != nil {
		t.Fatal(err)
	}
	at, err := time.Parse("20060102T150405Z", request.Header.Get("X-Amz-Date"))
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(request.Body)
	own := request.Clone(t.Context())
	for _, name := range []string{"Authorization", "X-Amz-Date", "X-Amz-Security-Token"} {
		own.Header.Del(name)
	}
	if err := b.sign(own, plan, creds.value, body, at); err != nil {
		t.Fatal(err)
	}
	return own.Header.Get("Authorization")
}

// lasting returns what of a request does not change from one to the next.
func lasting(r *http.Request) map[string]string {
	parts := map[string]string{"": r.Method + " " + r.URL.String() + " " + r.Host}
	for name, values := range r.Header {
		if values == nil {
			continue // not sent
		}
		value := strings.Join(values, "|")
		switch name {
		case "Amz-Sdk-Invocation-Id", "X-Amz-Date":
			value = "set"
		case "Authorization":
			value, _, _ = strings.Cut(value, "Signature=")
		}
		parts[name] = value
	}
	return parts
}
