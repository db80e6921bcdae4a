package upstream

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials/endpointcreds"
)

// renewAWS is how long before their end AWS credentials are renewed; up to a minute is
// added, so that replicas which were started together do not ask together.
const renewAWS = 5 * time.Minute

// credentialLeases returns the AWS credentials of an upstream with these options. The
// SDK's own cache lets requests wait for a renewal, and fail with it.
func (opt BedrockOptions) credentialLeases(c *clock) *leases[aws.Credentials] {
	load := opt.loadCredentials()
	return &leases[aws.Credentials]{refused: isRefusedByAWS, fetch: func(ctx context.Context) (*lease[aws.Credentials], error) {
		// Files are read anew: those of a shared profile may have been rotated, too.
		cfg, err := config.LoadDefaultConfig(ctx, load...)
		if err != nil {
			return nil, err
		}
		found, err := cfg.Credentials.Retrieve(ctx)
		switch {
		case err != nil:
			return nil, err
		case !found.HasKeys():
			return nil, plain("the server of credentials sent none")
		case !found.CanExpire:
			return &lease[aws.Credentials]{value: found}, nil
		}
		if opt.OnCredentials != nil {
			opt.OnCredentials(found.Expires)
		}
		return newLease(found, c.until(found.Expires), renewAWS+rand.N(time.Minute)), nil
	}}
}

// loadCredentials returns what the SDK's configuration is loaded with to find
// credentials.
func (opt BedrockOptions) loadCredentials() []func(*config.LoadOptions) error {
	var client config.HTTPClient = opt.client().WithTimeout(renewRequest).
		WithTransportOptions(func(t *http.Transport) { t.DisableKeepAlives = true }) // a request in a quarter of an hour
	if opt.CredentialsClient != nil {
		own := withoutRedirects(opt.CredentialsClient)
		own.Timeout = renewRequest
		client = own
	}
	return append(opt.load(),
		config.WithHTTPClient(client),
		config.WithEndpointCredentialOptions(func(o *endpointcreds.Options) { o.HTTPClient = client }),
		// The SDK mends a wrong clock when it tries again.
		config.WithRetryer(func() aws.Retryer {
			return retry.AddWithMaxBackoffDelay(retry.AddWithMaxAttempts(retry.NewStandard(), 2), time.Second)
		}),
		// The end of credentials is to be their own.
		config.WithCredentialsCacheOptions(func(o *aws.CredentialsCacheOptions) { o.ExpiryWindow = 0 }),
	)
}

// isRefusedByAWS reports whether a server of credentials has said no. Some throttle with
// a 400.
func isRefusedByAWS(err error) bool {
	var response interface{ HTTPStatusCode() int }
	if !errors.As(err, &response) || retry.IsErrorThrottles(retry.DefaultThrottles).IsErrorThrottle(err).Bool() {
		return false
	}
	return isRefusal(response.HTTPStatusCode())
}

// renewable are the exceptions that other credentials, or another time of the signature,
// may mend.
var renewable = []string{
	"ExpiredToken", "ExpiredTokenException", "TokenRefreshRequired", "UnrecognizedClientException", "InvalidClientTokenId",
	"InvalidSignatureException", "SignatureDoesNotMatch", "RequestExpired", "RequestTimeTooSkewed", "RequestInTheFuture",
}

// signed makes a call of Bedrock. If Bedrock does not take the signature, it is made once more:
// with new credentials, and by Bedrock's clock, which requests are signed by once there was a
// response.
func (b *Bedrock) signed(ctx context.Context, send func() (*bedrockCall, error)) (*bedrockCall, error) {
	call, err := send()
	if err == nil {
		return call, nil
	}
	if call.lease == nil || !slices.Contains(renewable, exceptionName(err)) {
		return nil, bedrockError(err)
	}
	b.credentials.reject(call.lease)
	next, missing := b.credentials.get(ctx)
	skewed := (b.ahead() - call.ahead).Abs() > maxSkew // it was signed by another time than it would be now
	if missing == nil && (skewed || next.value != call.lease.value) {
		if call, err = send(); err == nil {
			return call, nil
		}
	}
	e := bedrockError(err)
	if e.Credentials != "" {
		e.Err = b.clock.explained(e.Err)
	}
	return nil, e
}
