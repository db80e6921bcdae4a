package upstream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/logging"
	"github.com/aws/smithy-go/middleware"

	"dragoman/translate"
)

const (
	// bedrockVersion goes into each body; the only one that all models take
	// (reference/bedrock.md §2a).
	bedrockVersion = "bedrock-2023-05-31"
)

// BedrockOptions say how to reach Amazon Bedrock. What is empty comes from the
// AWS SDK's default chain: environment, shared files, the machine's role.
type BedrockOptions struct {
	Region     string
	Profile    string       // of the shared configuration files
	Endpoint   string       // URL to use instead of the region's own
	HTTPClient *http.Client // replaces the one with the time-outs of this package, for Bedrock itself
}

// Bedrock invokes models with InvokeModelWithResponseStream and the Anthropic
// Messages body (reference/bedrock.md §2). Its other wires have types of their
// own, over the same client: [Bedrock.Text].
type Bedrock struct {
	client *bedrockruntime.Client
}

// NewBedrock reads the AWS configuration. It does not touch the network:
// credentials are looked for when the first request needs them. It fails if no
// region is known or an option makes no sense.
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
	cfg.Credentials = ownCredentials{cfg.Credentials}
	client := bedrockruntime.NewFromConfig(cfg, func(o *bedrockruntime.Options) {
		if opt.Endpoint != "" {
			o.BaseEndpoint = &opt.Endpoint
		}
		if opt.HTTPClient != nil {
			o.HTTPClient = withoutRedirects(opt.HTTPClient)
		}
	})
	return &Bedrock{client}, nil
}

func (opt BedrockOptions) load() []func(*config.LoadOptions) error {
	load := []func(*config.LoadOptions) error{
		// One try: the client's SDK tries again, and the two would multiply.
		config.WithRetryer(func() aws.Retryer { return aws.NopRetryer{} }),
		config.WithLogger(logging.Nop{}),
	}
	if opt.Region != "" {
		load = append(load, config.WithRegion(opt.Region))
	}
	if opt.Profile != "" {
		load = append(load, config.WithSharedConfigProfile(opt.Profile))
	}
	// The SDK's own kind of client, so that AWS_CA_BUNDLE keeps its meaning.
	client := awshttp.NewBuildableClient().
		WithDialerOptions(func(d *net.Dialer) { d.Timeout = connectTimeout }).
		WithTransportOptions(tune)
	return append(load, config.WithHTTPClient(client))
}

// Invoke sends the prompt to the model with this id, inference profile or ARN.
func (b *Bedrock) Invoke(ctx context.Context, m Model, p *translate.Prompt) iter.Seq2[translate.Chunk, error] {
	return b.invoke(ctx, m.ID, func() (wireBody, error) {
		data, err := messagesBody{AnthropicVersion: bedrockVersion}.encode(p)
		return wireBody{data, new(messagesDecoder).decode}, err
	})
}

// wireBody is the body of a request, and what reads the answer to it: a decoder
// of the model's JSON, chunk by chunk.
type wireBody struct {
	data   []byte
	decode func(data []byte) (translate.Chunk, error)
}

// invoke sends the body that encode makes once the range begins.
func (b *Bedrock) invoke(ctx context.Context, model string, encode func() (wireBody, error)) iter.Seq2[translate.Chunk, error] {
	return invoke(ctx, func(ctx context.Context, cancel context.CancelFunc, yield func(translate.Chunk, error) bool) {
		request, err := encode()
		if err != nil {
			yield(translate.Chunk{}, err)
			return
		}
		body, requestID, err := b.open(ctx, model, request.data)
		if err != nil {
			yield(translate.Chunk{}, err)
			return
		}
		defer body.Close()
		if decodeStream(newFrameReader(body).payloads(), request.decode, withRequestID(requestID, yield)) {
			drain(body, cancel)
		}
	})
}

// open sends the request and returns the body of the answer, unread.
func (b *Bedrock) open(ctx context.Context, model string, data []byte) (io.ReadCloser, string, error) {
	x := exchange{request: data}
	out, err := b.client.InvokeModelWithResponseStream(ctx, &bedrockruntime.InvokeModelWithResponseStreamInput{
		ModelId: &model, Body: data, ContentType: aws.String("application/json"), Accept: aws.String("application/json"),
	}, x.join)
	if err != nil {
		x.close()
		return nil, "", bedrockError(err)
	}
	if x.answer == nil {
		return nil, "", gatewayError("the upstream accepted the request but sent no answer", nil)
	}
	id, _ := awsmiddleware.GetRequestIDMetadata(out.ResultMetadata)
	return x.answer, id, nil
}

// exchange stands between the SDK and its HTTP client, for one invocation. The
// SDK signs, chooses the endpoint, tries again and reads errors. The body of an
// answer is for [frameReader] alone.
type exchange struct {
	client  bedrockruntime.HTTPClient
	request []byte
	answer  io.ReadCloser
}

// join puts the exchange in its place and takes out the SDK's own reader of event
// streams, whose goroutines share unguarded state with those of other streams.
func (x *exchange) join(o *bedrockruntime.Options) {
	x.client, o.HTTPClient = o.HTTPClient, x
	o.APIOptions = append(o.APIOptions, func(s *middleware.Stack) error {
		_, err := s.Deserialize.Remove("OperationEventStreamDeserializer")
		return err
	})
}

// Do sends the request with a body of its own. The SDK closes the one it made as
// soon as there is a response; where the transport has not looked for its end by
// then, the connection could not be used again.
func (x *exchange) Do(r *http.Request) (*http.Response, error) {
	own := *r
	own.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(x.request)), nil }
	own.Body, _ = own.GetBody()
	replayable(own.Header)
	response, err := x.client.Do(&own)
	if err == nil && response.StatusCode == http.StatusOK {
		x.close()
		x.answer, response.Body = response.Body, http.NoBody
	}
	return response, err
}

func (x *exchange) close() {
	if x.answer != nil {
		x.answer.Close()
	}
}

// bedrockError maps what the SDK returns instead of a stream.
func bedrockError(err error) error {
	var (
		known    *Error
		api      smithy.APIError
		response *awshttp.ResponseError
	)
	hasResponse := errors.As(err, &response) && response.Response != nil
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &api):
		status := 0
		if hasResponse {
			status = response.HTTPStatusCode()
		}
		known = exception(api.ErrorCode(), api.ErrorMessage(), status)
	case hasResponse && response.HTTPStatusCode() >= 300:
		known = statusError(response.HTTPStatusCode(), "")
	default:
		known = transportError(err)
	}
	if known.Err == nil {
		known.Err = err
	}
	if hasResponse {
		known.RequestID = response.RequestID
		known.RetryAfter = retryAfter(response.Response.Header, time.Now())
	}
	return known
}

// ownCredentials tells a failure to find credentials from one to reach Bedrock.
type ownCredentials struct{ aws.CredentialsProvider }

func (c ownCredentials) Retrieve(ctx context.Context) (aws.Credentials, error) {
	v, err := c.CredentialsProvider.Retrieve(ctx)
	if err != nil {
		e := gatewayError("the proxy has no credentials for its upstream", err)
		return v, e
	}
	return v, nil
}
