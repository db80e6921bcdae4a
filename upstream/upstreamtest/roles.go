package upstreamtest

import (
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// Roles has the services of AWS that issue credentials with an expiry: the security token service, the
// endpoint of containers (ECS, EKS Pod Identity), and the metadata server of machines.
//
//	POST /                                            AssumeRoleWithWebIdentity, AssumeRole
//	GET  /credentials                                 of containers
//	PUT  /latest/api/token                            of machines, and then
//	GET  /latest/meta-data/iam/security-credentials/
//
// It checks the tokens in requests. A [Bedrock] accepts the credentials until they expire.
type Roles struct {
	// Clock is the clock of AWS; nil is the clock of this machine. Set it before serving.
	Clock func() time.Time

	mu       sync.Mutex
	lifetime time.Duration
	turns    int // how often the token was rotated
	grants   []string
	issued   map[string]issuedKey // by access key
}

// issuedKey has the rest of issued credentials.
type issuedKey struct {
	secret, session string
	end             time.Time
}

// NewRoles returns a server with credentials that expire after an hour.
func NewRoles() *Roles { return &Roles{lifetime: time.Hour, issued: map[string]issuedKey{}} }

// Last sets how long the credentials that are issued from now on last.
func (s *Roles) Last(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lifetime = d
}

// Token returns the token of the workload. Containers send it, and it is also the web identity.
func (s *Roles) Token() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return fmt.Sprintf("workload-%d", s.turns)
}

// Rotate replaces the token of the workload. The old token becomes invalid.
func (s *Roles) Rotate() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turns++
}

// Revoke invalidates all credentials that were issued so far.
func (s *Roles) Revoke() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.issued)
}

// Grants returns how credentials were obtained so far, in order: "web-identity", "assume-role", "container",
// "machine" or "file".
func (s *Roles) Grants() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.grants)
}

// now returns the time on AWS's clock.
func (s *Roles) now() time.Time {
	if s.Clock == nil {
		return time.Now()
	}
	return s.Clock()
}

// issue returns new credentials.
func (s *Roles) issue(grant string) (key string, c issuedKey) {
	end := s.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.grants = append(s.grants, grant)
	key = fmt.Sprintf("ASIAFAKE%012d", len(s.grants))
	c = issuedKey{"secret-" + key, "session-" + key, end.Add(s.lifetime)}
	s.issued[key] = c
	return key, c
}

// Profile writes a shared credentials file with new credentials for the default profile.
func (s *Roles) Profile(path string) error {
	key, c := s.issue("file")
	return os.WriteFile(path, fmt.Appendf(nil, "[default]\naws_access_key_id = %s\naws_secret_access_key = %s\naws_session_token = %s\n", key, c.secret, c.session), 0o600)
}

// verify checks the signature of a request to a service, its time, and the expiry of its credentials. It
// returns nil, or the exception with which AWS would reject the request.
func (s *Roles) verify(r *http.Request, body []byte, service string) *Fault {
	a, ok := readAuthorization(r, service)
	if !ok {
		return notSigned
	}
	now := s.now().UTC()
	const window = 5 * time.Minute
	switch {
	case a.time.Before(now.Add(-window)):
		return Refuse(http.StatusForbidden, "InvalidSignatureException", fmt.Sprintf("Signature expired: %s is now earlier than %s (%s - 5 min.)",
			a.time.Format(timeLayout), now.Add(-window).Format(timeLayout), now.Format(timeLayout)), "")
	case a.time.After(now.Add(window)):
		return Refuse(http.StatusForbidden, "InvalidSignatureException", fmt.Sprintf("Signature not yet current: %s is still later than %s (%s + 5 min.)",
			a.time.Format(timeLayout), now.Add(window).Format(timeLayout), now.Format(timeLayout)), "")
	case a.key == AccessKeyID:
		return a.verify(r, body, aws.Credentials{AccessKeyID: AccessKeyID, SecretAccessKey: SecretAccessKey})
	}
	s.mu.Lock()
	c, known := s.issued[a.key]
	s.mu.Unlock()
	switch {
	case !known || r.Header.Get("x-amz-security-token") != c.session:
		return Refuse(http.StatusForbidden, "UnrecognizedClientException", "The security token included in the request is invalid.", "")
	case !now.Before(c.end):
		return Refuse(http.StatusForbidden, "ExpiredTokenException", "The security token included in the request is expired", "")
	}
	return a.verify(r, body, aws.Credentials{AccessKeyID: a.key, SecretAccessKey: c.secret, SessionToken: c.session})
}

// ServeHTTP answers the routes of [Roles].
func (s *Roles) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("date", s.now().UTC().Format(http.TimeFormat))
	switch r.Method + " " + r.URL.Path {
	case "POST /":
		s.assume(w, r)
	case "GET /credentials":
		if r.Header.Get("authorization") != s.Token() {
			http.Error(w, `{"code":"AccessDenied","message":"the token of the container is wrong"}`, http.StatusForbidden)
			return
		}
		s.writeJSON(w, "container")
	case "PUT /latest/api/token":
		w.Header().Set("x-aws-ec2-metadata-token-ttl-seconds", "21600")
		fmt.Fprint(w, "machine")
	case "GET /latest/meta-data/iam/security-credentials/", "GET /latest/meta-data/iam/security-credentials/role":
		switch {
		case r.Header.Get("x-aws-ec2-metadata-token") != "machine":
			http.Error(w, "no token", http.StatusUnauthorized)
		case strings.HasSuffix(r.URL.Path, "/"):
			fmt.Fprint(w, "role")
		default:
			s.writeJSON(w, "machine")
		}
	default:
		http.NotFound(w, r)
	}
}

// writeJSON issues credentials in the form for containers and machines.
func (s *Roles) writeJSON(w http.ResponseWriter, grant string) {
	key, c := s.issue(grant)
	w.Header().Set("content-type", "application/json")
	fmt.Fprintf(w, `{"Code":"Success","Type":"AWS-HMAC","AccessKeyId":%s,"SecretAccessKey":%s,"Token":%s,"Expiration":%s}`,
		quote(key), quote(c.secret), quote(c.session), quote(c.end.UTC().Format(time.RFC3339)))
}

// assume answers an action of the security token service.
func (s *Roles) assume(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	r.Body = io.NopCloser(strings.NewReader(string(body)))
	action := r.FormValue("Action")
	var fault *Fault
	grant := "web-identity"
	switch {
	case action == "AssumeRole":
		grant, fault = "assume-role", s.verify(r, body, "sts")
	case action != "AssumeRoleWithWebIdentity":
		fault = Refuse(http.StatusBadRequest, "InvalidAction", "no such action", "")
	case r.FormValue("WebIdentityToken") != s.Token():
		fault = Refuse(http.StatusBadRequest, "ExpiredTokenException", "Token expired", "")
	}
	w.Header().Set("content-type", "text/xml")
	if fault != nil {
		w.WriteHeader(fault.status)
		fmt.Fprintf(w, `<ErrorResponse><Error><Type>Sender</Type><Code>%s</Code><Message>%s</Message></Error></ErrorResponse>`,
			escapeXML(fault.typ), escapeXML(fault.message))
		return
	}
	key, c := s.issue(grant)
	fmt.Fprintf(w, `<%[1]sResponse><%[1]sResult><Credentials><AccessKeyId>%s</AccessKeyId><SecretAccessKey>%s</SecretAccessKey><SessionToken>%s</SessionToken><Expiration>%s</Expiration></Credentials></%[1]sResult></%[1]sResponse>`,
		action, key, c.secret, c.session, c.end.UTC().Format(time.RFC3339))
}

// escapeXML returns s as text of XML.
func escapeXML(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // cannot fail: a Builder accepts everything
	return b.String()
}
