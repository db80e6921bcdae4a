package proxy

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"
	"github.com/aws/smithy-go"

	"dragoman/translate"
	"dragoman/upstream"
)

// dialSDK returns an AWS SDK client for the server that signs with this key id.
func dialSDK(srv *httptest.Server, keyID string, change ...func(*bedrockruntime.Options)) *bedrockruntime.Client {
	return bedrockruntime.New(bedrockruntime.Options{
		BaseEndpoint: &srv.URL,
		Region:       "eu-west-1",
		HTTPClient:   patient{srv.Client()},
		Retryer:      aws.NopRetryer{},
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: keyID, SecretAccessKey: "secret"}, nil
		}),
	}, change...)
}

// patient lets a request be sent to its end. The SDK closes the request's body as soon as an answer arrives, and then
// WriteTo of the body fails. If the transport has not seen the body's end yet, it drops the connection together with
// the answer. A server in the same process can be that fast.
type patient struct{ *http.Client }

func (c patient) Do(r *http.Request) (*http.Response, error) {
	own := *r
	own.Body = struct{ io.ReadCloser }{r.Body} // without WriteTo
	return c.Client.Do(&own)
}

// sdkModel has every kind of character that a path must escape.
const sdkModel = "arn:aws:bedrock:eu-west-1:123456789012:inference-profile/eu.anthropic.claude-v2:1"

func sdkInvoke() *bedrockruntime.InvokeModelInput {
	return &bedrockruntime.InvokeModelInput{ModelId: aws.String(sdkModel), Body: []byte(bedrockQuestion)}
}

func sdkStream() *bedrockruntime.InvokeModelWithResponseStreamInput {
	return &bedrockruntime.InvokeModelWithResponseStreamInput{ModelId: aws.String(sdkModel), Body: []byte(bedrockQuestion)}
}

func anyModel(o *Options) { o.Routes[0].Name = "*" }

// readSDK reads a stream to its end, and returns how it ended.
func readSDK(t *testing.T, out *bedrockruntime.InvokeModelWithResponseStreamOutput) ([]frame, error) {
	t.Helper()
	stream := out.GetStream()
	defer stream.Close()
	var frames []frame
	for e := range stream.Events() {
		chunk, ok := e.(*types.ResponseStreamMemberChunk)
		if !ok {
			t.Fatalf("a %T", e)
		}
		var event struct{ Type string }
		if err := json.Unmarshal(chunk.Value.Bytes, &event); err != nil {
			t.Fatal(err)
		}
		frames = append(frames, frame{event.Type, string(chunk.Value.Bytes)})
	}
	return frames, stream.Err()
}

// An app on the AWS SDK can use tools with a model that has no tools API.
func TestSDKInvoke(t *testing.T) {
	srv := listen(t, newServer(t, completing(endOfCall, weather...), anyModel, func(o *Options) { o.Keys = []Key{NewKey("AKIDONE")} }))
	client := dialSDK(srv, "AKIDONE")
	check := func(m message) {
		t.Helper()
		if m.Model != sdkModel || m.StopReason != "tool_use" || len(m.Content) != 2 || m.Content[1].Name != "get_weather" || string(m.Content[1].Input) != `{"city":"Oslo"}` {
			t.Errorf("%+v", m)
		}
	}

	whole, err := client.InvokeModel(t.Context(), sdkInvoke())
	if err != nil {
		t.Fatal(err)
	}
	var m message
	if err := json.Unmarshal(whole.Body, &m); err != nil || *whole.ContentType != "application/json" {
		t.Fatalf("%v, content type %s", err, *whole.ContentType)
	}
	check(m)

	streamed, err := client.InvokeModelWithResponseStream(t.Context(), sdkStream())
	if err != nil {
		t.Fatal(err)
	}
	frames, err := readSDK(t, streamed)
	if err != nil || *streamed.ContentType != "application/json" {
		t.Fatalf("%v, content type %s", err, *streamed.ContentType)
	}
	check(accumulate(t, frames))
}

func TestSDKInvokeIsThrottled(t *testing.T) {
	throttled := &upstream.Error{Status: http.StatusTooManyRequests, Type: "rate_limit_error", Message: "Too many tokens"}
	check := func(err error) {
		t.Helper()
		var e *types.ThrottlingException
		if !errors.As(err, &e) || e.ErrorMessage() != "Too many tokens" {
			t.Errorf("%T: %v", err, err)
		}
	}
	first := dialSDK(listen(t, newServer(t, failing(throttled), anyModel)), "x")
	_, err := first.InvokeModel(t.Context(), sdkInvoke())
	check(err)
	_, err = first.InvokeModelWithResponseStream(t.Context(), sdkStream())
	check(err)

	midway := dialSDK(listen(t, newServer(t, failing(throttled, translate.Chunk{}, translate.Chunk{Text: "It is "}), anyModel)), "x")
	out, err := midway.InvokeModelWithResponseStream(t.Context(), sdkStream())
	if err != nil {
		t.Fatal(err)
	}
	frames, err := readSDK(t, out)
	check(err)
	if got := names(frames); got != "message_start ping content_block_start content_block_delta" {
		t.Errorf("events %s", got)
	}
}

func TestSDKFailures(t *testing.T) {
	srv := listen(t, newServer(t, completing(endOfTurn, "hi"), func(o *Options) { o.Keys = []Key{NewKey("AKIDONE")} }))
	var refused smithy.APIError
	if _, err := dialSDK(srv, "AKIDTWO").InvokeModel(t.Context(), sdkInvoke()); !errors.As(err, &refused) || refused.ErrorCode() != "UnrecognizedClientException" {
		t.Errorf("a wrong key: %v", err)
	}
	client := dialSDK(srv, "AKIDONE")
	var unknown *types.ResourceNotFoundException
	if _, err := client.InvokeModel(t.Context(), sdkInvoke()); !errors.As(err, &unknown) {
		t.Errorf("an unknown model: %v", err)
	}
	in := sdkInvoke()
	in.ModelId, in.Body = aws.String("claude-2.1"), []byte(`{"max_tokens":5}`)
	var invalid *types.ValidationException
	if _, err := client.InvokeModel(t.Context(), in); !errors.As(err, &invalid) || invalid.ErrorMessage() != "messages: Field required" {
		t.Errorf("a body without messages: %v", err)
	}
	counted, err := client.CountTokens(t.Context(), &bedrockruntime.CountTokensInput{
		ModelId: aws.String("claude-2.1"), Input: &types.CountTokensInputMemberInvokeModel{Value: types.InvokeModelTokensRequest{Body: []byte(bedrockQuestion)}},
	})
	if err != nil || aws.ToInt32(counted.InputTokens) == 0 {
		t.Errorf("tokens: %+v, %v", counted, err)
	}
	// The error for an unsupported operation has this API's form, too.
	guarded := &bedrockruntime.ApplyGuardrailInput{
		GuardrailIdentifier: aws.String("g"), GuardrailVersion: aws.String("1"), Source: types.GuardrailContentSourceInput,
		Content: []types.GuardrailContentBlock{&types.GuardrailContentBlockMemberText{Value: types.GuardrailTextBlock{Text: aws.String("Hi")}}},
	}
	if _, err := client.ApplyGuardrail(t.Context(), guarded); !errors.As(err, &unknown) {
		t.Errorf("a guardrail: %v", err)
	}
}

// TestInvokeHTTP2 sends requests like the AWS SDK for JavaScript: over HTTP/2 without TLS.
func TestInvokeHTTP2(t *testing.T) {
	srv := httptest.NewUnstartedServer(newServer(t, completing(endOfCall, weather...), anyModel).Handler())
	srv.Config.Protocols = new(http.Protocols)
	srv.Config.Protocols.SetUnencryptedHTTP2(true)
	srv.Start()
	defer srv.Close()
	transport := &http.Transport{Protocols: new(http.Protocols)}
	transport.Protocols.SetUnencryptedHTTP2(true)
	defer transport.CloseIdleConnections()
	client := bedrockClient{&http.Client{Transport: transport}, srv.URL}
	res := client.post(t, "/model/anthropic.claude-v2%3A1/invoke-with-response-stream", bedrockQuestion)
	if m := accumulate(t, readChunks(t, res.Body)); res.ProtoMajor != 2 || m.Model != "anthropic.claude-v2:1" || m.StopReason != "tool_use" {
		t.Errorf("%s: %+v", res.Proto, m)
	}
}
