package upstreamtest

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
)

// The credentials that a [Bedrock] knows. For requests with other access keys, it checks only the form of the
// signature.
const (
	AccessKeyID     = "AKIDEXAMPLE"
	SecretAccessKey = "secret"
)

// The beginning of the Authorization header, and the format of x-amz-date.
const (
	algorithm  = "AWS4-HMAC-SHA256 "
	timeLayout = "20060102T150405Z"
)

// notSigned is the error for a request without a signature.
var notSigned = Refuse(http.StatusForbidden, "IncompleteSignatureException", "Authorization header is not of the form of Signature Version 4", "")

// verify checks the Authorization header of Signature Version 4. If the request is signed, it returns nil,
// otherwise the error of Bedrock.
func verify(r *http.Request, body []byte) *Fault {
	a, ok := readAuthorization(r, "bedrock")
	if !ok {
		return notSigned
	}
	if a.key != AccessKeyID {
		return nil
	}
	return a.verify(r, body, aws.Credentials{AccessKeyID: AccessKeyID, SecretAccessKey: SecretAccessKey})
}

// verify checks the signature of a request against these credentials.
func (a *authorization) verify(r *http.Request, body []byte, c aws.Credentials) *Fault {
	signed, err := a.sign(r, body, c)
	if err != nil || subtle.ConstantTimeCompare([]byte(signed), []byte(a.signature)) == 0 {
		return Refuse(http.StatusForbidden, "InvalidSignatureException", "The request signature we calculated does not match the signature you provided.", "")
	}
	return nil
}

// authorization is a parsed Authorization header:
//
//	AWS4-HMAC-SHA256 Credential=KEY/20261120/us-east-1/bedrock/aws4_request, SignedHeaders=host;x-amz-date, Signature=0123…
type authorization struct {
	key, region string
	service     string
	time        time.Time
	headers     []string
	signature   string
}

// readAuthorization reads the Authorization header of a request to a service. It returns false if the header
// has another form, or another day than x-amz-date.
func readAuthorization(r *http.Request, service string) (a authorization, ok bool) {
	rest, ok := strings.CutPrefix(r.Header.Get("authorization"), algorithm)
	if !ok {
		return a, false
	}
	fields := make(map[string]string)
	for field := range strings.SplitSeq(rest, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(field), "=")
		fields[name] = value
	}
	scope := strings.Split(fields["Credential"], "/")
	if len(scope) != 5 || scope[3] != service || scope[4] != "aws4_request" {
		return a, false
	}
	at, err := time.Parse(timeLayout, r.Header.Get("x-amz-date"))
	if err != nil || at.Format("20060102") != scope[1] {
		return a, false
	}
	a = authorization{scope[0], scope[2], service, at, strings.Split(fields["SignedHeaders"], ";"), fields["Signature"]}
	raw, err := hex.DecodeString(a.signature)
	return a, err == nil && len(raw) == sha256.Size
}

// sign returns the correct signature of the request. The SDK's own signer signs a copy that has only the
// signed headers.
func (a *authorization) sign(r *http.Request, body []byte, c aws.Credentials) (string, error) {
	again := r.Clone(r.Context())
	again.URL.Scheme, again.URL.Host = "http", r.Host
	again.Header = make(http.Header)
	again.ContentLength = 0
	for _, name := range a.headers {
		switch name {
		case "host":
		case "content-length":
			again.ContentLength = int64(len(body))
		default:
			again.Header[http.CanonicalHeaderKey(name)] = r.Header.Values(name)
		}
	}
	hash := r.Header.Get("x-amz-content-sha256")
	if hash == "" {
		sum := sha256.Sum256(body)
		hash = hex.EncodeToString(sum[:])
	}
	err := v4.NewSigner().SignHTTP(r.Context(), c, again, hash, a.service, a.region, a.time)
	_, signature, _ := strings.Cut(again.Header.Get("authorization"), "Signature=")
	return signature, err
}
