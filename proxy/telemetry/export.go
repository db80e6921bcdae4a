package telemetry

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/rs/zerolog"
	"google.golang.org/protobuf/encoding/protowire"
)

// exporter sends requests of one signal to a collector, by OTLP over HTTP.
type exporter struct {
	signal Signal
	client *http.Client
	log    *complaints
}

func newExporter(s Signal, log *complaints) *exporter {
	return &exporter{
		signal: s,
		client: &http.Client{
			Transport: &http.Transport{
				Proxy:               http.ProxyFromEnvironment,
				TLSClientConfig:     s.TLS,
				TLSHandshakeTimeout: s.Timeout,
				MaxIdleConnsPerHost: 1,
				IdleConnTimeout:     90 * time.Second,
				ForceAttemptHTTP2:   true,
			},
			// Another server would get the headers, which may hold a key.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		log: log,
	}
}

// export sends a request that holds n spans or metrics. It tries again, while the signal's time lasts,
// what may succeed later. What cannot be delivered is lost, and the log says so.
func (e *exporter) export(ctx context.Context, body []byte, n int) {
	ctx, cancel := context.WithTimeout(ctx, e.signal.Timeout)
	defer cancel()
	if e.signal.Gzip {
		body = compress(body)
	}
	pauses := backoff.NewExponentialBackOff()
	rejected, err := backoff.Retry(ctx, func() (int, error) { return e.send(ctx, body) },
		backoff.WithBackOff(pauses), backoff.WithMaxElapsedTime(e.signal.Timeout))
	switch {
	case err != nil:
		e.log.lost(n, reason(err))
	case rejected > 0:
		e.log.lost(rejected, "the collector rejected them")
	}
}

// send sends a request once, and returns how much of it the collector did not want. An error that
// another try would meet too is permanent (OTLP, "Failures").
func (e *exporter) send(ctx context.Context, body []byte) (rejected int, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, e.signal.URL, bytes.NewReader(body))
	if err != nil {
		return 0, backoff.Permanent(err)
	}
	for name, value := range e.signal.Headers {
		r.Header.Set(name, value)
	}
	r.Header.Set("Content-Type", "application/x-protobuf")
	r.Header.Set("User-Agent", "OTel-OTLP-Exporter-Dragoman")
	if e.signal.Gzip {
		r.Header.Set("Content-Encoding", "gzip")
	}
	response, err := e.client.Do(r)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	const longest = 64 << 10
	answer, err := io.ReadAll(io.LimitReader(response.Body, longest))
	switch status := response.StatusCode; {
	case status == http.StatusTooManyRequests, status >= http.StatusBadGateway && status <= http.StatusGatewayTimeout:
		if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil && seconds > 0 {
			return 0, errors.Join(statusError(status), backoff.RetryAfter(seconds))
		}
		return 0, statusError(status)
	case status < 200 || status > 299:
		return 0, backoff.Permanent(statusError(status))
	}
	if err != nil {
		return 0, nil // it has been accepted
	}
	return rejectedBy(answer), nil
}

// rejectedBy reads how much a collector rejected: the first field of the partial_success, which is the
// first field of an answer.
func rejectedBy(answer []byte) int {
	for body := answer; ; {
		n, typ, length := protowire.ConsumeTag(body)
		if length < 0 || n != 1 {
			return 0
		}
		body = body[length:]
		if typ == protowire.VarintType {
			rejected, _ := protowire.ConsumeVarint(body)
			return int(min(rejected, 1<<31))
		}
		if body, length = protowire.ConsumeBytes(body); length < 0 {
			return 0
		}
	}
}

// statusError is a status of HTTP that is not a success.
type statusError int

func (s statusError) Error() string {
	return fmt.Sprintf("the collector answered with status %d", int(s))
}

// reason says in our words why something could not be delivered. The URL is not in it: it may hold
// credentials.
func reason(err error) string {
	var failed *url.Error
	var status statusError
	switch {
	case errors.As(err, &status):
		return status.Error()
	case errors.As(err, &failed) && failed.Timeout(), errors.Is(err, context.DeadlineExceeded):
		return "the collector did not answer in time"
	case errors.As(err, &failed):
		return failed.Err.Error()
	}
	return err.Error()
}

func compress(body []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write(body) // to memory
	_ = z.Close()
	return b.Bytes()
}

// complaints log what is lost, at most once in a while.
type complaints struct {
	log   zerolog.Logger
	what  string // spans or metrics
	every time.Duration

	mu    sync.Mutex
	count int // since last
	last  time.Time
}

// lost notes that n spans or metrics were lost, and why.
func (c *complaints) lost(n int, why string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count += n
	if !c.last.IsZero() && time.Since(c.last) < c.every {
		return
	}
	c.last = time.Now()
	c.log.Warn().Int("lost", c.count).Str("signal", c.what).Str("error", why).Str("msg", "telemetry is lost; exchanges are not affected").Send()
	c.count = 0
}
