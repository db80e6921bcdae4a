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

// BedrockOptions say how to reach Amazon Bedrock. What is empty comes from the AWS SDK's
// default chain: environment, shared files, the machine's role
// (docs/reference/bedrock.md §8).
type BedrockOptions struct {
	Region     string
	Profile    string       // of the shared configuration files
	Endpoint   string       // URL to use instead of the region's own
	Connect    Connect      // how long it may take to reach Bedrock, or a server of credentials
	HTTPClient *http.Client // replaces the client with the settings of this package, for Bedrock itself
	// Roots are the authorities of their certificates; nil for the system's, or those of
	// AWS_CA_BUNDLE in their place.
	Roots *x509.CertPool
	// CredentialsClient replaces it for servers of credentials.
	CredentialsClient *http.Client
	// OnCredentials, if it is not nil, is called with the expiry of new credentials that
	// have one. Calls do not overlap.
	OnCredentials func(expiry time.Time)
	// OnRequest, if it is not nil, is called before each request to Bedrock, and not before those
	// to servers of credentials.
	OnRequest OnRequest
}

// Bedrock asks models on Amazon Bedrock.
type Bedrock struct {
	runtime     *bedrockruntime.Client
	control     *bedrock.Client // lists models, and says what an ARN hides
	connections *http.Client    // of both
	names       *resolver
	credentials *aws.CredentialsCache
}

// NewBedrock returns an upstream with these options, or an error if no region is known
// or an option makes no sense. It reads the AWS configuration but does not touch the
// network: credentials are looked for when the first request needs them.
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
		return nil, errors.New("bedrock: no region; set region, AWS_REGION, or one in the AWS profile")
	}
	client := opt.HTTPClient
	if client == nil { // that of the SDK cannot be told to close its connections
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

// Close is for when nothing more will be asked: it closes the connections that are kept, and ends what still asks which
// models there are.
func (b *Bedrock) Close() {
	b.names.close()
	b.connections.CloseIdleConnections()
}

// load returns what the SDK's configuration is loaded with.
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

// client returns the SDK's own kind of client, so that AWS_CA_BUNDLE keeps its meaning.
func (opt BedrockOptions) client() *awshttp.BuildableClient {
	return awshttp.NewBuildableClient().
		WithDialerOptions(opt.Connect.dialer).
		WithTransportOptions(opt.Connect.transport, trusting(opt.Roots))
}

// sdkTransport is a transport for the SDK. The SDK reads bodies without end: a refusal, and an answer that
// is no stream, are cut where none of Bedrock's is so long. What cuts a body is an [*Error].
//
// It takes the body of a request out of the SDK's hands, which close it when the response begins, while
// net/http may still look for its end. So a request can also be sent again if the connection was dead.
type sdkTransport struct{ base http.RoundTripper }

// maxWholeAnswer bounds an answer that comes in one piece, in bytes.
const maxWholeAnswer = 32 << 20

func (t *sdkTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	own := *r
	own.Header = r.Header.Clone()
	replayable(own.Header)
	if r.Body != nil {
		data := bytes.NewBuffer(make([]byte, 0, max(0, r.ContentLength)+bytes.MinRead))
		_, err := data.ReadFrom(r.Body)
		r.Body.Close()
		if err != nil {
			return nil, err
		}
		own.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data.Bytes())), nil }
		own.Body, _ = own.GetBody()
	}
	response, err := t.base.RoundTrip(&own)
	if err != nil {
		return nil, err
	}
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

// CloseIdleConnections is for [http.Client.CloseIdleConnections].
func (t *sdkTransport) CloseIdleConnections() {
	(&http.Client{Transport: t.base}).CloseIdleConnections()
}

// sdkBody is the body of a response.
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
