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

// awsCredentials looks for credentials with the AWS SDK. It reads files again each time, because the keys of
// a shared profile may have changed. An [aws.CredentialsCache] calls it, and never twice at once.
type awsCredentials struct {
	load []func(*config.LoadOptions) error
	tell func(expiry time.Time) // called with each new expiry; may be nil
	end  time.Time              // the expiry of the last credentials
}

// renewAWS is how long before their expiry AWS credentials are renewed. A random time of up to a minute is
// added, so that replicas that started together do not ask together.
const renewAWS = 5 * time.Minute

// Retrieve returns new credentials. For the cache, they expire when they are due for renewal.
func (c *awsCredentials) Retrieve(ctx context.Context) (aws.Credentials, error) {
	wait := renewTimeout
	if time.Now().Add(expirySlack).Before(c.end) { // the old credentials still work
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
		failed.Final = c.end.IsZero() || isRefusedByAWS(err) // otherwise the server may work again soon
		return aws.Credentials{}, failed
	case !found.HasKeys():
		return aws.Credentials{}, noCredentials(plain("the credentials server sent no credentials"))
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

// HandleFailToRefresh returns the old credentials until the next attempt, if they still work.
func (c *awsCredentials) HandleFailToRefresh(_ context.Context, old aws.Credentials, err error) (aws.Credentials, error) {
	if !old.HasKeys() || !time.Now().Before(c.end) {
		return aws.Credentials{}, err
	}
	old.Expires = time.Now().Add(min(renewPause, time.Until(c.end)-expirySlack)) // or immediately, near their expiry
	return old, nil
}

// loadCredentials returns the options to load the SDK's configuration with when it looks for credentials.
func (opt BedrockOptions) loadCredentials() []func(*config.LoadOptions) error {
	var client config.HTTPClient = opt.client().WithTimeout(renewRequest).
		WithTransportOptions(func(t *http.Transport) { t.DisableKeepAlives = true }) // the next request comes in a quarter of an hour
	if opt.CredentialsClient != nil {
		own := withoutRedirects(opt.CredentialsClient)
		own.Timeout = renewRequest
		client = own
	}
	return append(opt.load(),
		config.WithHTTPClient(client),
		config.WithEndpointCredentialOptions(func(o *endpointcreds.Options) { o.HTTPClient = client }),
		// The second attempt corrects for a wrong clock.
		config.WithRetryer(func() aws.Retryer {
			return retry.AddWithMaxBackoffDelay(retry.AddWithMaxAttempts(retry.NewStandard(), 2), time.Second)
		}),
		// The SDK must not shorten the expiry: Retrieve does that.
		config.WithCredentialsCacheOptions(func(o *aws.CredentialsCacheOptions) { o.ExpiryWindow = 0 }),
	)
}

// isRefusedByAWS reports whether a credentials server has refused. A throttled request is no refusal,
// although some servers throttle with a 400.
func isRefusedByAWS(err error) bool {
	var response interface{ HTTPStatusCode() int }
	if !errors.As(err, &response) || retry.IsErrorThrottles(retry.DefaultThrottles).IsErrorThrottle(err).Bool() {
		return false
	}
	return isRefusal(response.HTTPStatusCode())
}

// onceMore is a retryer that sends a request once more, with new credentials, if Bedrock rejected its
// credentials or its signature. The SDK then signs with Bedrock's clock, which it knows from the first
// response. All other retries are left to the proxy (limits.attempts) and the client's SDK, because retries
// in several places multiply.
type onceMore struct {
	aws.NopRetryer
	credentials *aws.CredentialsCache
}

// renewable are the exceptions that new credentials, or a signature with another time, may fix.
var renewable = []string{
	"ExpiredToken", "ExpiredTokenException", "TokenRefreshRequired", "UnrecognizedClientException", "InvalidClientTokenId",
	"InvalidSignatureException", "SignatureDoesNotMatch", "RequestExpired", "RequestTimeTooSkewed", "RequestInTheFuture",
}

// IsErrorRetryable reports whether new credentials may help. If so, it drops the current credentials.
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
