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

// Explain returns what a log may say of an error, on one line: of what kinds it and its
// causes are, and what they say where that cannot be others' words. What an upstream says
// may quote the prompt, and what a decoder says may quote the answer, so neither is in it.
// It is "" if nothing can be said.
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

// plain is an error that is text of ours alone, with nothing of others put into it.
type plain string

func (p plain) Error() string { return string(p) }

// answered is what an upstream called a failure.
type answered struct {
	status int    // of HTTP; 0 for none, as within a stream
	code   string // its word for it; "" for none, or for one that we do not know
	err    error  // what else is known of the cause; may be nil
}

func (a *answered) Error() string {
	s := strings.TrimSpace(fmt.Sprintf("status %d %s", a.status, a.code))
	if a.err != nil {
		s += ": " + a.err.Error()
	}
	return s
}

func (a *answered) Unwrap() error { return a.err }

// answeredWith adds to a failure what the upstream called it. Of the word only what is in
// words is kept: a server may write anything there.
func answeredWith[V any](e *Error, status int, word string, words map[string]V) *Error {
	if _, known := words[word]; !known {
		word = ""
	}
	e.Err = &answered{status, word, e.Err}
	return e
}

// explain calls say with what can be said of an error, and of those below it, from the
// outside in.
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

// describe returns what can be said of an error itself, without those below it. It is
// false if nothing can.
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
		return "", false // the URL has the model's id
	case *json.SemanticError:
		return fmt.Sprintf("JSON of another kind at byte %d", e.ByteOffset), true
	case *jsontext.SyntacticError:
		return fmt.Sprintf("not JSON at byte %d", e.ByteOffset), true
	case *oauth2.RetrieveError, *metadata.Error, *smithy.OperationError, interface{ HTTPStatusCode() int }, smithy.APIError:
		return describeService(err), true
	}
	return describeOther(err)
}

// describeService describes the errors of the libraries of AWS and Google.
func describeService(err error) string {
	switch e := err.(type) {
	case *smithy.OperationError:
		if e.ServiceID == "ec2imds" {
			return "the metadata server of EC2 gave none"
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

// tokenErrors are the words by which token servers refuse a token: those of RFC 6749,
// section 5.2, and RFC 8693, and those of AWS STS.
var tokenErrors = []string{
	"invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type",
	"invalid_scope", "invalid_target", "access_denied",
	"AccessDenied", "IDPCommunicationError", "IDPRejectedClaim", "InvalidIdentityToken", "MalformedPolicyDocument",
	"PackedPolicyTooLarge", "RegionDisabledException", "UnauthorizedException",
}

// sentinels are errors that are known by what they are, and that say nothing else.
var sentinels = []error{context.Canceled, context.DeadlineExceeded, io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, os.ErrDeadlineExceeded, http.ErrSchemeMismatch}

// describeOther describes an error by the words of its type's name. The types that only carry a
// text, or other errors, have names that say nothing.
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
