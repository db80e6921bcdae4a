package upstream_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"dragoman/translate"
	"dragoman/upstream"
	"dragoman/upstream/upstreamtest"
)

// staticBedrock returns an upstream that gets credentials only from files and the environment, and its fake.
// The fake's clock is ahead by this much. tries counts the requests to it.
func staticBedrock(t *testing.T, ahead time.Duration) (up *upstream.Bedrock, fake *upstreamtest.Bedrock, tries *atomic.Int32) {
	t.Helper()
	fake = upstreamtest.NewBedrock(upstreamtest.Answer(upstreamtest.Completion{Text: "Hello"}))
	fake.Roles = upstreamtest.NewRoles()
	fake.Roles.Clock = func() time.Time { return time.Now().Add(ahead) }
	tries = new(atomic.Int32)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tries.Add(1)
		fake.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return dialBedrock(t, server), fake, tries
}

func countOf(t *testing.T, up invoker) (int, error) {
	t.Helper()
	call, err := up.Prepare(upstream.Model{ID: "anthropic.claude-v2"}, ask("Hi"))
	if err != nil {
		t.Fatal(err)
	}
	return call.Count(t.Context())
}

func askBedrock(t *testing.T, up *upstream.Bedrock) error {
	t.Helper()
	_, err := collect(t, invoke(up, t.Context(), upstream.Model{ID: "anthropic.claude-v2"}, ask("Hi")))
	return err
}

// TestSkewOfStaticCredentials has credentials that never expire. Only the first request is sent twice.
func TestSkewOfStaticCredentials(t *testing.T) {
	for _, ahead := range []time.Duration{10 * time.Minute, -10 * time.Minute, 0} {
		up, _, tries := staticBedrock(t, ahead)
		for range 3 {
			if err := askBedrock(t, up); err != nil {
				t.Errorf("%v ahead: %v", ahead, err)
			}
			if _, err := countOf(t, up); err != nil {
				t.Errorf("%v ahead, a count: %v", ahead, err)
			}
		}
		want := int32(6)
		if ahead != 0 {
			want++
		}
		if tries.Load() != want {
			t.Errorf("%v ahead: %d tries, want %d", ahead, tries.Load(), want)
		}
	}
}

// TestSkewThatStays has a server that checks signatures with another clock than its Date. The log gets the
// known facts, and the client learns that its key is not at fault.
func TestSkewThatStays(t *testing.T) {
	tries := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		tries++
		w.Header().Set("date", time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat))
		w.Header().Set("x-amzn-errortype", "InvalidSignatureException")
		w.WriteHeader(http.StatusForbidden)
		_, _ = w.Write([]byte(`{"message":"Signature not yet current"}`))
	}))
	defer server.Close()
	up := dialBedrock(t, server)
	for i := range 2 {
		err := askBedrock(t, up)
		wantOwnFault(t, err, "refused the proxy's own credentials")
		var e *upstream.Error
		if errors.As(err, &e) && (e.Credentials != upstream.CredentialsRefused || !strings.Contains(e.Err.Error(), "the clock of this machine is 1h0m")) {
			t.Errorf("%v", err)
		}
		if want := 2 * (i + 1); tries != want {
			t.Errorf("%d tries, want %d", tries, want)
		}
	}
}

// TestSkewOfALongAnswer has a model that thinks for twelve minutes. After half of that, the SDK would suspect
// a wrong clock.
func TestSkewOfALongAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := upstreamtest.NewBedrock(func(string, *translate.Prompt) upstreamtest.Completion {
			time.Sleep(12 * time.Minute)
			return upstreamtest.Completion{Text: "Hello"}
		})
		fake.Roles = upstreamtest.NewRoles()
		pipes := upstreamtest.NewPipes(fake)
		defer pipes.Close()
		up, err := upstream.NewBedrock(t.Context(), upstream.BedrockOptions{Region: "us-east-1", Endpoint: "http://models.test", HTTPClient: pipes.Client()})
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if err := askBedrock(t, up); err != nil {
				t.Error(err)
			}
		}
	})
}

// TestProfileRotated writes a shared credentials file again after its credentials have expired. The file has
// no expiry.
func TestProfileRotated(t *testing.T) {
	path := filepath.Join(t.TempDir(), "credentials")
	t.Setenv("AWS_ACCESS_KEY_ID", "")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "")
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", path)
	up, fake, _ := staticBedrock(t, 0)
	for range 3 {
		fake.Roles.Revoke()
		if err := fake.Roles.Profile(path); err != nil {
			t.Fatal(err)
		}
		if err := askBedrock(t, up); err != nil {
			t.Error(err)
		}
	}
	fake.Roles.Revoke()
	for range 2 {
		wantOwnFault(t, askBedrock(t, up), "refused the proxy's own credentials")
	}
}

// TestProcess runs a command that prints credentials, or fails.
func TestProcess(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("AWS_ACCESS_KEY_ID", "")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "")
	t.Setenv("AWS_CONFIG_FILE", filepath.Join(folder, "config"))
	good := `{"Version":1,"AccessKeyId":"` + upstreamtest.AccessKeyID + `","SecretAccessKey":"` + upstreamtest.SecretAccessKey + `"}`
	write(t, filepath.Join(folder, "config"), "[default]\ncredential_process = sh "+filepath.Join(folder, "command")+"\n")
	up, _, _ := staticBedrock(t, 0)
	for _, test := range []struct{ name, command, says string }{
		{"it fails", "exit 3", "no credentials"},
		{"it prints nothing", "true", "no credentials"},
		{"it prints garbage", "echo '<html>'", "no credentials"},
		{"it prints no secret", `echo '{"Version":1,"AccessKeyId":"A"}'`, "no credentials"},
		{"its key is unknown", "echo '" + strings.Replace(good, upstreamtest.AccessKeyID, "AKIAUNKNOWN", 1) + "'", "refused the proxy's own credentials"},
		{"it works", "echo '" + good + "'", ""},
	} {
		write(t, filepath.Join(folder, "command"), test.command)
		err := askBedrock(t, up)
		if test.says != "" {
			wantOwnFault(t, err, test.says)
		} else if err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

// TestKeyRefused has upstreams with a configured key. There is nothing to renew, so only one request is sent.
// The next request may succeed.
func TestKeyRefused(t *testing.T) {
	const key = "sk-of-the-proxy"
	open := map[string]func(base string) (invoker, error){
		"anthropic": func(base string) (invoker, error) {
			return upstream.NewAnthropic(upstream.ServerOptions{BaseURL: base, APIKey: key})
		},
		"openai": func(base string) (invoker, error) {
			return upstream.NewOpenAI(upstream.ServerOptions{BaseURL: base + "/v1", APIKey: key})
		},
	}
	for name, open := range open {
		var fake http.Handler = upstreamtest.NewMessages(nil)
		if name == "openai" {
			fake = upstreamtest.NewChat(nil)
		}
		for _, status := range []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired} {
			tries := 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if tries++; tries > 1 {
					fake.ServeHTTP(w, r)
					return
				}
				w.WriteHeader(status)
				_, _ = w.Write([]byte(`{"error":{"message":"invalid key ` + key + `"}}`))
			}))
			up, err := open(server.URL)
			if err != nil {
				t.Fatal(err)
			}
			_, err = collect(t, invoke(up, t.Context(), upstream.Model{ID: "m"}, ask("Hi")))
			wantOwnFault(t, err, "refused the proxy's own credentials")
			var e *upstream.Error
			if errors.As(err, &e) && (e.Credentials != upstream.CredentialsRefused || !e.Final || strings.Contains(e.Message, key)) {
				t.Errorf("%s, %d: %+v", name, status, e)
			}
			if tries != 1 {
				t.Errorf("%s, %d: %d tries", name, status, tries)
			}
			if _, err := collect(t, invoke(up, t.Context(), upstream.Model{ID: "m"}, ask("Hi"))); err != nil {
				t.Errorf("%s, %d: %v", name, status, err)
			}
			server.Close()
		}
	}
}
