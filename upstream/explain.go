package upstream

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"unicode"

	"cloud.google.com/go/compute/metadata"
	"github.com/aws/smithy-go"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/oauth2"
)

// Explain returns what a log may say about an error, on one line: the kinds of the error and its causes, and
// their texts if they are Dragoman's or the operating system's. An upstream's text may quote the prompt, and
// a decoder's text may quote the answer, so Explain leaves them out. It returns "" if nothing is left.
func Explain(err error) string {
	const longest = 512
	var parts []string
	explain(err, func(part string) {
		if part != "" && !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
	})
	s := strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.Join(parts, ": "))
	return strings.ToValidUTF8(s[:min(len(s), longest)], "")
}

// plain is an error with only Dragoman's own text, without any text of others.
type plain string

func (p plain) Error() string { return string(p) }

// answered is what the upstream said about a failure.
type answered struct {
	status int    // the HTTP status; 0 for none, as in a stream
	code   string // the upstream's word for the failure; "" for none or an unknown word
	err    error  // what else is known about the cause; may be nil
}

func (a *answered) Error() string {
	s := strings.TrimSpace(fmt.Sprintf("status %d %s", a.status, a.code))
	if a.err != nil {
		s += ": " + a.err.Error()
	}
	return s
}

func (a *answered) Unwrap() error { return a.err }

// answeredWith adds the upstream's status and word to a failure. It keeps the word only if words contains it,
// because a server may write anything there.
func answeredWith[V any](e *Error, status int, word string, words map[string]V) *Error {
	if _, known := words[word]; !known {
		word = ""
	}
	e.Err = &answered{status, word, e.Err}
	return e
}

// explain calls say with the safe texts of an error and of the errors that it wraps, from the outside in.
func explain(err error, say func(string)) {
	if err == nil {
		return
	}
	if text, known := describe(err); known {
		say(text)
	}
	switch wrapped := err.(type) {
	case interface{ Unwrap() error }:
		explain(wrapped.Unwrap(), say)
	case interface{ Unwrap() []error }:
		for _, each := range wrapped.Unwrap() {
			explain(each, say)
		}
	}
}

// describe returns the safe text of an error, without the errors that it wraps. It returns false if there is
// none.
func describe(err error) (text string, known bool) {
	switch e := err.(type) {
	case *Error:
		if e.ours {
			return e.Message, true
		}
		return "", false
	case *answered:
		return strings.TrimSpace(inStatus(e.status) + " " + e.code), true
	case plain, syscall.Errno, *net.DNSError, tls.AlertError, x509.UnknownAuthorityError, x509.HostnameError, x509.CertificateInvalidError:
		return err.Error(), true
	case *net.OpError:
		return strings.TrimSpace(fmt.Sprintf("%s %s %s", e.Op, e.Net, address(e.Addr))), true
	case *os.SyscallError:
		return e.Syscall, true
	case *fs.PathError:
		return e.Op + " " + e.Path, true
	case *exec.ExitError:
		return e.ProcessState.String(), true
	case *url.Error:
		return "", false // the URL contains the model's id
	case *json.SemanticError:
		return fmt.Sprintf("JSON of the wrong kind at byte %d", e.ByteOffset), true
	case *jsontext.SyntacticError:
		return fmt.Sprintf("not JSON at byte %d", e.ByteOffset), true
	case *oauth2.RetrieveError, *metadata.Error, *smithy.OperationError, interface{ HTTPStatusCode() int }, smithy.APIError:
		return describeService(err), true
	}
	return describeOther(err)
}

// describeService describes errors of the AWS and Google libraries.
func describeService(err error) string {
	switch e := err.(type) {
	case *smithy.OperationError:
		if e.ServiceID == "ec2imds" {
			return "the metadata server of EC2 returned none"
		}
		return e.ServiceID + " " + e.OperationName
	case interface{ HTTPStatusCode() int }:
		return inStatus(e.HTTPStatusCode())
	case *metadata.Error:
		return inStatus(e.Code)
	case *oauth2.RetrieveError:
		text := "the token server refused"
		if e.Response != nil {
			text = "the token server answered with " + inStatus(e.Response.StatusCode)
		}
		if slices.Contains(tokenErrors, e.ErrorCode) {
			text += " " + e.ErrorCode
		}
		return text
	case smithy.APIError:
		if _, known := byException[e.ErrorCode()]; known || slices.Contains(tokenErrors, e.ErrorCode()) {
			return e.ErrorCode()
		}
	}
	return ""
}

// tokenErrors are the error codes of token servers, from RFC 6749 section 5.2, RFC 8693 and AWS STS.
var tokenErrors = []string{
	"invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type",
	"invalid_scope", "invalid_target", "access_denied",
	"AccessDenied", "IDPCommunicationError", "IDPRejectedClaim", "InvalidIdentityToken", "MalformedPolicyDocument",
	"PackedPolicyTooLarge", "RegionDisabledException", "UnauthorizedException",
}

// sentinels are errors with a fixed text, which is safe to log.
var sentinels = []error{context.Canceled, context.DeadlineExceeded, io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, os.ErrDeadlineExceeded, http.ErrSchemeMismatch}

// describeOther describes an error by the name of its type, in words. Types that only hold a text or other
// errors have names that say nothing, so it skips them.
func describeOther(err error) (text string, known bool) {
	if slices.Contains(sentinels, err) {
		return err.Error(), true
	}
	name := fmt.Sprintf("%T", err)
	for _, silent := range []string{"*errors.", "*fmt.", "*jsonwire.", "*proxy."} {
		if strings.HasPrefix(name, silent) {
			return "", false
		}
	}
	name = wordsOf(name)
	if timeout, ok := err.(net.Error); ok && timeout.Timeout() {
		name += " (timed out)"
	}
	return name, true
}

// wordsOf returns the name of a type in words: "json unmarshal type error" for *json.UnmarshalTypeError.
func wordsOf(name string) string {
	var words strings.Builder
	last := ' '
	for _, r := range strings.TrimLeft(name, "*") {
		if unicode.IsUpper(r) && unicode.IsLower(last) {
			words.WriteByte(' ')
		}
		if last = r; r == '.' {
			r = ' '
		}
		words.WriteRune(unicode.ToLower(r))
	}
	return words.String()
}

func inStatus(status int) string {
	if status == 0 {
		return ""
	}
	return fmt.Sprintf("status %d", status)
}

func address(a net.Addr) string {
	if a == nil {
		return ""
	}
	return a.String()
}
