package upstream_test

import (
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aws/smithy-go"
	"golang.org/x/oauth2"

	"dragoman/upstream"
	"dragoman/upstream/upstreamtest"
)

// An upstream's text may quote the request, so the log has only the upstream's code for the failure.
func TestExplainQuotesNothing(t *testing.T) {
	const canary = "c4n4ry"
	eachWire(t, func(t *testing.T, w wire) {
		quoted, err := json.Marshal(map[string]any{"error": map[string]any{"message": canary, "type": canary, "code": canary, "status": canary}, "message": canary})
		if err != nil {
			t.Fatal(err)
		}
		tests := map[string]*upstreamtest.Fault{"corrupt": upstreamtest.Corrupt(2), "a page": upstreamtest.Reply(200, "text/"+canary, canary)}
		for _, status := range []int{400, 403, 404, 418, 429, 500, 503} {
			for _, typ := range []string{w.invalid, w.denied, w.throttled, canary} {
				tests[fmt.Sprint(status, typ)] = upstreamtest.Refuse(status, typ, canary, "")
			}
			tests[fmt.Sprint(status, " in JSON")] = upstreamtest.Reply(status, "application/json", string(quoted))
			tests[fmt.Sprint(status, " in words")] = upstreamtest.Reply(status, "text/plain", canary)
			tests[fmt.Sprint(status, " in HTML")] = upstreamtest.Reply(status, "text/html", "<h1>"+canary)
		}
		for _, typ := range []string{w.invalid, w.overloaded, canary} {
			tests["in the answer: "+typ] = upstreamtest.Fail(2, typ, canary)
		}
		for name, fault := range tests {
			up, _ := w.open(t, upstreamtest.Answer(upstreamtest.Completion{Text: canary, Pieces: 3, Fault: fault}))
			_, err := collect(t, invoke(up, t.Context(), w.model, ask(canary)))
			if err == nil {
				t.Fatalf("%s: no error", name)
			}
			got := upstream.Explain(err)
			if strings.Contains(got, canary) || got == "" && !strings.HasPrefix(name, "in the answer") {
				t.Errorf("%s: %q", name, got)
			}
			var status int
			if n, _ := fmt.Sscan(name, &status); n == 1 && !strings.Contains(got, fmt.Sprint("status ", status)) {
				t.Errorf("%s: %q does not have the status", name, got)
			}
		}
	})
}

func TestExplain(t *testing.T) {
	server := httptest.NewServer(nil)
	address := server.Listener.Addr().String()
	server.Close()
	_, refused := net.Dial("tcp", address)
	token := &oauth2.RetrieveError{Body: []byte("secret"), ErrorCode: "invalid_grant", ErrorDescription: "secret"}
	for _, test := range []struct {
		err  error
		want string
	}{
		{nil, ""},
		{errors.New("secret"), ""},
		{fmt.Errorf("secret: %w", refused), "dial tcp " + address + ": connect: connection refused"},
		{&smithy.OperationError{ServiceID: "ec2imds", OperationName: "GetMetadata", Err: errors.New("secret")}, "the metadata server of EC2 returned none"},
		{errors.Join(errors.New("secret"), x509.UnknownAuthorityError{}), "x509: certificate signed by unknown authority"},
		{fmt.Errorf("secret: %w", token), "the token server refused invalid_grant"},
		{&json.UnmarshalTypeError{Value: "secret"}, "json unmarshal type error"},
		{&net.DNSError{Err: "no such host", Name: "models.test", IsNotFound: true}, "lookup models.test: no such host"},
		{&upstream.Error{Status: 400, Message: "secret", Err: errors.New("secret")}, ""},
		{&net.DNSError{Name: strings.Repeat("a", 1000)}, "lookup " + strings.Repeat("a", 505)},
		{&net.DNSError{Name: "a\nb\x1b"}, "lookup a b : "},
	} {
		if got := upstream.Explain(test.err); got != test.want {
			t.Errorf("%v: %q, want %q", test.err, got, test.want)
		}
	}
}
