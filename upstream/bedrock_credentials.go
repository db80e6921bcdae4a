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
	"github.com/aws/smithy-go"
)

// awsCredentials has the AWS SDK look for credentials. Files are read anew each time: those of a shared
// profile may have been rotated, too. It is for an [aws.CredentialsCache], which calls it once at a time.
type awsCredentials struct {
	load []func(*config.LoadOptions) error
	tell func(expiry time.Time) // may be nil
	end  time.Time              // of the last ones
}

// renewAWS is how long before their end AWS credentials are renewed; up to a minute is
// added, so that replicas which were started together do not ask together.
const renewAWS = 5 * time.Minute

// Retrieve returns new credentials. They expire for the cache as soon as they are to be renewed.
func (c *awsCredentials) Retrieve(ctx context.Context) (aws.Credentials, error) {
	wait := renewTimeout
	if time.Now().Add(expirySlack).Before(c.end) { // those that are kept still serve
		wait = renewWait
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	cfg, err := config.LoadDefaultConfig(ctx, c.load...)
	if err != nil {
		return aws.Credentials{}, noCredentials(err)
	}
	found, err := cfg.Credentials.Retrieve(ctx)
	switch {
	case err != nil:
		failed := noCredentials(err)
		failed.Final = c.end.IsZero() || isRefusedByAWS(err) // else the server will be back
		return aws.Credentials{}, failed
	case !found.HasKeys():
		return aws.Credentials{}, noCredentials(plain("the server of credentials sent none"))
	case !found.CanExpire:
		return found, nil
	}
	c.end = found.Expires
	if c.tell != nil {
		c.tell(c.end)
	}
	found.Expires = renewAt(c.end, renewAWS+rand.N(time.Minute))
	return found, nil
}

// HandleFailToRefresh returns the old credentials, if they still serve, until it is time to look again.
func (c *awsCredentials) HandleFailToRefresh(_ context.Context, old aws.Credentials, err error) (aws.Credentials, error) {
	if !old.HasKeys() || !time.Now().Before(c.end) {
		return aws.Credentials{}, err
	}
	old.Expires = time.Now().Add(min(renewPause, time.Until(c.end)-expirySlack)) // or at once, near their end
	return old, nil
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

// onceMore has a request that Bedrock did not let in sent once more, with new credentials. The SDK signs
// it by Bedrock's clock, as the first response tells it. Nothing else is tried again: the proxy does that
// (limits.attempts), and the client's SDK, and their tries would multiply.
type onceMore struct {
	aws.NopRetryer
	credentials *aws.CredentialsCache
}

// renewable are the exceptions that other credentials, or another time of the signature,
// may mend.
var renewable = []string{
	"ExpiredToken", "ExpiredTokenException", "TokenRefreshRequired", "UnrecognizedClientException", "InvalidClientTokenId",
	"InvalidSignatureException", "SignatureDoesNotMatch", "RequestExpired", "RequestTimeTooSkewed", "RequestInTheFuture",
}

// IsErrorRetryable reports whether new credentials may help, and has them looked for.
func (o onceMore) IsErrorRetryable(err error) bool {
	var api smithy.APIError
	if !errors.As(err, &api) || !slices.Contains(renewable, api.ErrorCode()) {
		return false
	}
	o.credentials.Invalidate()
	return true
}

func (onceMore) MaxAttempts() int                             { return 2 }
func (onceMore) RetryDelay(int, error) (time.Duration, error) { return 0, nil }
func (onceMore) GetRetryToken(context.Context, error) (func(error) error, error) {
	return func(error) error { return nil }, nil
}
