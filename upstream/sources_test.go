package upstream_test

import (
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"dragoman/upstream"
	"dragoman/upstream/upstreamtest"
)

// modelsHost is the host of the model. The credentials servers have other addresses.
const modelsHost = "models.test"

// site is an upstream with credentials from one source, and the servers for both.
type site struct {
	up       invoker
	model    string
	pipes    *upstreamtest.Pipes
	requests func() []upstreamtest.Request

	last   func(time.Duration) // sets how long credentials issued from now on last
	rotate func()              // changes the secrets of the source, if it has any
	revoke func()              // revokes all issued credentials
	grants func() []string

	delay   atomic.Int64                     // of the credentials server
	fault   atomic.Pointer[http.HandlerFunc] // replaces the answer of the credentials server
	expires atomic.Pointer[time.Time]        // the expiry of the latest credentials, as OnCredentials or OnToken reported it
}

// source is a source of credentials. open is called in a bubble of synctest.
type source struct {
	name string
	env  map[string]string // FOLDER in a value becomes the test's folder
	open func(t *testing.T, folder string, ahead time.Duration) *site
}

// sources are all sources that answer over HTTP.
func sources() []source {
	const sts, role = "http://sts.test", "arn:aws:iam::1:role/r"
	aws := map[string]map[string]string{
		"web identity": {"AWS_ENDPOINT_URL_STS": sts, "AWS_ROLE_ARN": role, "AWS_WEB_IDENTITY_TOKEN_FILE": "FOLDER/token"},
		"container":    {"AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://127.0.0.1/credentials", "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": "FOLDER/token"},
		"machine":      {"AWS_EC2_METADATA_DISABLED": "false", "AWS_EC2_METADATA_SERVICE_ENDPOINT": "http://imds.test"},
		"assumed role": {"AWS_ENDPOINT_URL_STS": sts, "AWS_CONFIG_FILE": "FOLDER/config"},
	}
	var all []source
	for _, name := range slices.Sorted(maps.Keys(aws)) {
		all = append(all, source{"bedrock, " + name, aws[name], openBedrock})
	}
	for _, kind := range kinds {
		all = append(all, source{"vertex, " + kind.name, map[string]string{"GCE_METADATA_HOST": "tokens.test"},
			func(t *testing.T, folder string, ahead time.Duration) *site {
				return openVertex(t, kind.write, folder, ahead)
			}})
	}
	return all
}

// eachSource runs a test with every source, in a bubble of synctest. The servers' clocks are ahead by this
// much.
func eachSource(t *testing.T, ahead time.Duration, test func(t *testing.T, s *site)) {
	for _, source := range sources() {
		t.Run(source.name, func(t *testing.T) {
			folder := t.TempDir()
			for name, value := range map[string]string{"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": ""} {
				t.Setenv(name, value)
			}
			for name, value := range source.env {
				t.Setenv(name, strings.ReplaceAll(value, "FOLDER", folder))
			}
			synctest.Test(t, func(t *testing.T) {
				s := source.open(t, folder, ahead)
				defer s.pipes.Close()
				test(t, s)
				time.Sleep(time.Minute) // a look-up may be running
			})
		})
	}
}

// serve starts the servers of the site.
func (s *site) serve(model, credentials http.Handler) {
	s.pipes = upstreamtest.NewPipes(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fault := s.fault.Load()
		switch {
		case r.Host == modelsHost:
			model.ServeHTTP(w, r)
		case fault != nil:
			(*fault)(w, r)
		default:
			time.Sleep(time.Duration(s.delay.Load()))
			credentials.ServeHTTP(w, r)
		}
	}))
}

func openBedrock(t *testing.T, folder string, ahead time.Duration) *site {
	roles := upstreamtest.NewRoles()
	roles.Clock = func() time.Time { return time.Now().Add(ahead) }
	fake := upstreamtest.NewBedrock(upstreamtest.Answer(upstreamtest.Completion{Text: "Hello"}))
	fake.Roles = roles
	s := &site{model: "anthropic.claude-v2", last: roles.Last, revoke: roles.Revoke, grants: roles.Grants, requests: fake.Requests}
	writeToken := func() {
		path := filepath.Join(folder, "token")
		write(t, path+"~", roles.Token())
		if err := os.Rename(path+"~", path); err != nil {
			t.Error(err)
		}
	}
	s.rotate = func() { roles.Rotate(); writeToken() }
	writeToken()
	write(t, filepath.Join(folder, "config"), "[default]\nrole_arn = arn:aws:iam::1:role/r\nsource_profile = base\n"+
		"[profile base]\naws_access_key_id = "+upstreamtest.AccessKeyID+"\naws_secret_access_key = "+upstreamtest.SecretAccessKey+"\n")
	s.serve(fake, roles)
	up, err := upstream.NewBedrock(t.Context(), upstream.BedrockOptions{
		Region: "us-east-1", Endpoint: "http://" + modelsHost, HTTPClient: s.pipes.Client(), CredentialsClient: s.pipes.Client(),
		OnCredentials: func(end time.Time) { s.expires.Store(&end) },
	})
	if err != nil {
		t.Fatal(err)
	}
	s.up = up
	return s
}

func openVertex(t *testing.T, writeFile func(*upstreamtest.Tokens, string, string) (string, error), folder string, ahead time.Duration) *site {
	fake := upstreamtest.NewVertex(upstreamtest.Answer(upstreamtest.Completion{Text: "Hello"}))
	fake.Tokens.Clock = func() time.Time { return time.Now().Add(ahead) }
	s := &site{model: "claude-opus-4-6", last: fake.Tokens.Last, revoke: fake.Tokens.Revoke, grants: fake.Tokens.Grants, requests: fake.Requests}
	path := ""
	s.rotate = func() {
		var err error
		if path, err = writeFile(fake.Tokens, folder, "http://tokens.test"); err != nil {
			t.Error(err)
		}
	}
	s.rotate()
	s.serve(fake, fake)
	up, err := upstream.NewVertex(t.Context(), upstream.VertexOptions{
		Project: "p", Location: "global", Endpoint: "http://" + modelsHost, Credentials: path, HTTPClient: s.pipes.Client(),
		OnToken: func(end time.Time) { s.expires.Store(&end) },
	})
	if err != nil {
		t.Fatal(err)
	}
	s.up = up
	return s
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// ask sends a request to the model, and returns how long it took.
func (s *site) ask(t *testing.T) (time.Duration, error) {
	t.Helper()
	begun := time.Now()
	_, err := collect(t, invoke(s.up, t.Context(), upstream.Model{ID: s.model}, ask("Hi")))
	return time.Since(begun), err
}

// mustAsk is ask, and fails the test on an error.
func (s *site) mustAsk(t *testing.T) time.Duration {
	t.Helper()
	waited, err := s.ask(t)
	if err != nil {
		t.Errorf("request: %v", err)
	}
	return waited
}

// fail replaces the answer of the credentials server; nil ends that.
func (s *site) fail(fault http.HandlerFunc) {
	if fault == nil {
		s.fault.Store(nil)
	} else {
		s.fault.Store(&fault)
	}
}
