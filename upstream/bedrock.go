package upstream

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
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

// Bedrock asks models on Amazon Bedrock over the wire that suits each. A wire can be
// chosen as well: [Bedrock.Messages], [Bedrock.Text] and [Bedrock.Converse] return
// upstreams that ask over one wire, with the same client.
type Bedrock struct {
	client      *bedrockruntime.Client // for rehearsals: see blueprint
	options     bedrockruntime.Options // of client
	blueprints  sync.Map               // *blueprint by *operation
	signer      *v4.Signer
	credentials *leases[aws.Credentials]
	connections *http.Client // of options
	clock       *clock
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
	// One try: the client's SDK tries again, and the two would multiply.
	once := config.WithRetryer(func() aws.Retryer { return aws.NopRetryer{} })
	cfg, err := config.LoadDefaultConfig(ctx, append(opt.load(), once)...)
	if err != nil {
		return nil, fmt.Errorf("bedrock: AWS configuration: %w", err)
	}
	if cfg.Region == "" {
		return nil, errors.New("bedrock: no region; set region, AWS_REGION, or one in the AWS profile")
	}
	b := &Bedrock{clock: new(clock), signer: v4.NewSigner()}
	b.credentials = opt.credentialLeases(b.clock)
	b.client = bedrockruntime.NewFromConfig(cfg, func(o *bedrockruntime.Options) {
		if opt.Endpoint != "" {
			o.BaseEndpoint = &opt.Endpoint
		}
		client := opt.HTTPClient
		if client == nil { // that of the SDK cannot be told to close its connections
			client = &http.Client{Transport: o.HTTPClient.(*awshttp.BuildableClient).GetTransport()}
		}
		b.connections = withoutRedirects(client)
		b.connections.Transport = opt.OnRequest.over(b.connections.Transport)
		o.HTTPClient = b.connections
	})
	b.options = b.client.Options()
	return b, nil
}

// Close is for when nothing more will be asked: it closes the connections that are kept, and ends the
// look-up of credentials.
func (b *Bedrock) Close() {
	b.credentials.close()
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
