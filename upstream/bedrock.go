package upstream

import (
	"bytes"
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/bedrock"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/smithy-go/logging"
)

// BedrockOptions say how to reach Amazon Bedrock. Empty options come from the AWS SDK's default chain:
// environment, shared files, the role of the machine (docs/reference/bedrock.md §8).
type BedrockOptions struct {
	Region     string
	Profile    string       // in the shared configuration files
	Endpoint   string       // replaces the region's own URL
	Connect    Connect      // limits the time to reach Bedrock, or a credentials server
	HTTPClient *http.Client // replaces this package's own client for Bedrock
	// Roots are the authorities that may sign certificates; nil for the system's, or for the file in
	// AWS_CA_BUNDLE.
	Roots *x509.CertPool
	// CredentialsClient replaces this package's own client for credentials servers.
	CredentialsClient *http.Client
	// OnCredentials is called with the expiry of new credentials; optional. It is not called for credentials
	// that never expire. Calls do not overlap.
	OnCredentials func(expiry time.Time)
	// OnRequest is called before each request to Bedrock; optional. It is not called before requests to
	// credentials servers.
	OnRequest OnRequest
}

// Bedrock asks models on Amazon Bedrock.
type Bedrock struct {
	runtime     *bedrockruntime.Client
	control     *bedrock.Client // lists models, and looks up ARNs
	connections *http.Client    // used by runtime and control
	names       *resolver
	credentials *aws.CredentialsCache
}

// NewBedrock returns an upstream with these options, or an error if no region is set or an option is invalid.
// It reads the AWS configuration but does not touch the network: it looks for credentials when the first
// request needs them.
func NewBedrock(ctx context.Context, opt BedrockOptions) (*Bedrock, error) {
	if opt.Endpoint != "" {
		if _, err := parseBase(opt.Endpoint); err != nil {
			return nil, fmt.Errorf("bedrock endpoint: %w", err)
		}
	}
	cfg, err := config.LoadDefaultConfig(ctx, opt.load()...)
	if err != nil {
		return nil, fmt.Errorf("bedrock: AWS configuration: %w", err)
	}
	if cfg.Region == "" {
		return nil, errors.New("bedrock: no region. Set the key region, AWS_REGION, or a region in the AWS profile")
	}
	client := opt.HTTPClient
	if client == nil { // the SDK's own client has no method to close its connections
		client = &http.Client{Transport: cfg.HTTPClient.(*awshttp.BuildableClient).GetTransport()}
	}
	b := &Bedrock{connections: withoutRedirects(client), names: newResolver()}
	b.connections.Transport = &sdkTransport{opt.OnRequest.over(cmp.Or(b.connections.Transport, http.DefaultTransport))}
	credentials := aws.NewCredentialsCache(&awsCredentials{load: opt.loadCredentials(), tell: opt.OnCredentials})
	cfg.HTTPClient, cfg.Credentials, b.credentials = b.connections, credentials, credentials
	cfg.Retryer = func() aws.Retryer { return onceMore{credentials: credentials} }
	b.runtime = bedrockruntime.NewFromConfig(cfg, func(o *bedrockruntime.Options) {
		if opt.Endpoint != "" {
			o.BaseEndpoint = &opt.Endpoint
		}
	})
	b.control = bedrock.NewFromConfig(cfg, func(o *bedrock.Options) {
		if opt.Endpoint != "" {
			o.BaseEndpoint = &opt.Endpoint
		}
	})
	return b, nil
}

// Close closes the idle connections, and ends the requests that still ask Bedrock about models. Call it when
// no more requests will come.
func (b *Bedrock) Close() {
	b.names.close()
	b.connections.CloseIdleConnections()
}

// load returns the options to load the SDK's configuration with.
func (opt BedrockOptions) load() []func(*config.LoadOptions) error {
	load := []func(*config.LoadOptions) error{
		config.WithLogger(logging.Nop{}),
		config.WithHTTPClient(opt.client()),
	}
	if opt.Region != "" {
		load = append(load, config.WithRegion(opt.Region))
	}
	if opt.Profile != "" {
		load = append(load, config.WithSharedConfigProfile(opt.Profile))
	}
	return load
}

// client returns the SDK's own kind of client, because only that kind obeys AWS_CA_BUNDLE.
func (opt BedrockOptions) client() *awshttp.BuildableClient {
	return awshttp.NewBuildableClient().
		WithDialerOptions(opt.Connect.dialer).
		WithTransportOptions(opt.Connect.transport, trusting(opt.Roots))
}

// sdkTransport is a transport for the SDK. The SDK reads bodies without a limit, so sdkTransport cuts error
// bodies, and answers that are not streams, at lengths far above any real one. If reading a body fails, the
// error is an [*Error].
//
// The SDK closes the body of a request when the response begins, although net/http may still read its end. So
// sdkTransport copies the body. The copy also lets net/http send the request again on a new connection.
type sdkTransport struct{ base http.RoundTripper }

// maxWholeAnswer limits an answer that is not streamed, in bytes.
const maxWholeAnswer = 32 << 20

func (t *sdkTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	own := *r
	own.Header = r.Header.Clone()
	replayable(own.Header)
	var sent sentBody
	if r.Body != nil {
		data := bytes.NewBuffer(make([]byte, 0, max(0, r.ContentLength)+bytes.MinRead))
		_, err := data.ReadFrom(r.Body)
		r.Body.Close()
		if err != nil {
			return nil, err
		}
		sent.data = data.Bytes()
		own = *sent.in(&own)
	}
	response, err := t.base.RoundTrip(&own)
	if err != nil {
		return nil, err
	}
	sent.forget()
	body := sdkBody{response.Body, response.Body}
	switch {
	case response.StatusCode >= 300:
		body.Reader = io.LimitReader(response.Body, maxErrorBody)
	case mediaType(response) == "application/json":
		body.Reader = io.LimitReader(response.Body, maxWholeAnswer)
	}
	response.Body = body
	return response, nil
}

// CloseIdleConnections implements the method that [http.Client.CloseIdleConnections] looks for.
func (t *sdkTransport) CloseIdleConnections() {
	(&http.Client{Transport: t.base}).CloseIdleConnections()
}

// sdkBody is the body of a response, which maps read errors.
type sdkBody struct {
	io.Reader
	io.Closer
}

func (b sdkBody) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if err != nil {
		err = readError(err)
	}
	return n, err
}
