package upstream

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/smithy-go/encoding/httpbinding"
	smithyrand "github.com/aws/smithy-go/rand"
)

// A request to Bedrock is made like the one that the AWS SDK makes, but without its stack of some
// forty steps, which takes as long as the rest of a short exchange. The SDK writes each operation
// once, for nobody: a rehearsal. It chooses the endpoint and the way to sign, and sets its headers.
// What changes from one request to the next is set here: the model, the body, the credentials, the
// time and the id of the call.

// operation is an operation of Bedrock whose body is ours.
type operation struct {
	name string // the SDK's
	// rehearse has the SDK carry out the operation.
	rehearse func(ctx context.Context, client *bedrockruntime.Client, model *string, options func(*bedrockruntime.Options)) error
	// adapt says in the header, and in the body that it returns, what the model's entry asks for;
	// nil for nothing.
	adapt func(m Model, h http.Header, body []byte) []byte
}

// blueprint is a request of an operation without what changes.
type blueprint struct {
	before, after       *url.URL // of the id of the model
	host                string
	header              http.Header
	service, region     string // of the signature; "" for none
	presentsBearerToken bool   // in its place
}

// rehearsedModel is the id of the model in a rehearsal. No escape changes it.
const rehearsedModel = "dragoman-rehearsal"

// rehearsal takes the place of the SDK's client in a rehearsal, and of its credentials.
type rehearsal struct{ request *http.Request }

func (r *rehearsal) Do(request *http.Request) (*http.Response, error) {
	r.request = request
	return nil, errors.New("upstream: a rehearsal is not sent")
}

func (*rehearsal) Retrieve(context.Context) (aws.Credentials, error) {
	return aws.Credentials{AccessKeyID: "REHEARSAL", SecretAccessKey: "rehearsal"}, nil
}

// blueprint returns that of an operation. The error is the SDK's if it can make no request, as
// where the endpoint makes no sense: it may be able to next time.
func (b *Bedrock) blueprint(ctx context.Context, op *operation) (*blueprint, error) {
	if known, ok := b.blueprints.Load(op); ok {
		return known.(*blueprint), nil
	}
	model, r := rehearsedModel, new(rehearsal)
	err := op.rehearse(ctx, b.client, &model, func(o *bedrockruntime.Options) { o.Credentials, o.HTTPClient = r, r })
	if r.request == nil {
		return nil, err
	}
	p := newBlueprint(r.request)
	b.blueprints.Store(op, p)
	return p, nil
}

// newBlueprint returns the blueprint of a request that the SDK has signed.
func newBlueprint(r *http.Request) *blueprint {
	p := &blueprint{host: r.Host, header: r.Header.Clone()}
	path, escaped := r.URL.Path, r.URL.EscapedPath()
	at, escapedAt := strings.LastIndex(path, rehearsedModel), strings.LastIndex(escaped, rehearsedModel)
	before, after := *r.URL, *r.URL
	before.Path, after.Path = path[:at], path[at+len(rehearsedModel):]
	before.RawPath, after.RawPath = escaped[:escapedAt], escaped[escapedAt+len(rehearsedModel):]
	p.before, p.after = &before, &after

	// AWS4-HMAC-SHA256 Credential=KEY/20261120/us-east-1/bedrock/aws4_request, …
	authorization := p.header.Get("Authorization")
	if scope := strings.Split(authorization, "/"); strings.HasPrefix(authorization, "AWS4-HMAC-SHA256 ") && len(scope) > 3 {
		p.region, p.service = scope[2], scope[3]
	}
	p.presentsBearerToken = strings.HasPrefix(authorization, "Bearer ")
	for _, name := range []string{
		"Authorization", "X-Amz-Date", "X-Amz-Security-Token", "Amz-Sdk-Invocation-Id", "Content-Length",
		"X-Amzn-Trace-Id", // that of one call, in Lambda
	} {
		p.header.Del(name)
	}
	p.header.Set("Content-Type", "application/json")
	return p
}

// request returns a request of the operation to a model, which is not signed, and its body.
func (p *blueprint) request(ctx context.Context, op *operation, m Model, body []byte) (*http.Request, *sentBody) {
	u := *p.before
	u.Path += m.ID + p.after.Path
	u.RawPath += httpbinding.EscapePath(m.ID, true) + p.after.RawPath
	header := p.header.Clone()
	if op.adapt != nil {
		body = op.adapt(m, header, body)
	}
	id, err := smithyrand.NewUUID(rand.Reader).GetUUID()
	if err == nil {
		header["Amz-Sdk-Invocation-Id"] = []string{id}
	}
	sent := newSentBody(body)
	r := &http.Request{
		Method: http.MethodPost, URL: &u, Host: p.host, Header: header, ContentLength: int64(len(body)),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Body: io.NopCloser(sent.reader), GetBody: sent.sendAgain,
	}
	return r.WithContext(sent.traced(ctx)), sent
}

// ofControlPlane returns a blueprint for requests to the control plane of the same region: Bedrock's own host
// for models has a name like that of the control plane's, and another endpoint stands for both.
func (p *blueprint) ofControlPlane() *blueprint {
	own, at := *p, *p.before
	own.host = strings.Replace(p.host, "bedrock-runtime", "bedrock", 1)
	at.Host = strings.Replace(at.Host, "bedrock-runtime", "bedrock", 1)
	at.Path, at.RawPath = strings.TrimSuffix(at.Path, "/model/"), ""
	own.before = &at
	own.header = p.header.Clone()
	own.header.Del("Content-Type")
	own.header.Set("Accept", "application/json")
	return &own
}

// get returns a request for what is at this path of a blueprint of the control plane. It is not signed.
func (p *blueprint) get(ctx context.Context, path, query string) *http.Request {
	u := *p.before
	u.Path += path
	u.RawQuery = query
	r := &http.Request{Method: http.MethodGet, URL: &u, Host: p.host, Header: p.header.Clone(), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1}
	return r.WithContext(ctx)
}

// authorize signs the request, by Bedrock's clock, or adds the bearer token that the SDK was
// configured with. It returns what it was signed with; nil if it was not.
func (b *Bedrock) authorize(r *http.Request, p *blueprint, body []byte, ahead time.Duration) (*lease[aws.Credentials], error) {
	switch {
	case p.presentsBearerToken:
		token, err := b.options.BearerAuthTokenProvider.RetrieveBearerToken(r.Context())
		if err != nil {
			return nil, err
		}
		r.Header["Authorization"] = []string{"Bearer " + token.Value}
		return nil, nil
	case p.service == "":
		return nil, nil
	}
	kept, err := b.credentials.get(r.Context())
	if err != nil {
		return nil, err
	}
	return kept, b.sign(r, p, kept.value, body, time.Now().Add(ahead))
}

// sign signs the request, which has this body, as of a time.
func (b *Bedrock) sign(r *http.Request, p *blueprint, with aws.Credentials, body []byte, at time.Time) error {
	sum := sha256.Sum256(body)
	return b.signer.SignHTTP(r.Context(), with, r, hex.EncodeToString(sum[:]), p.service, p.region, at)
}
