// A program that holds conversations through the AWS SDK for Go: its argument names one of the APIs.
package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net/http"
	"os"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/middleware"

	"dragoman/conformance"
)

// apis are those of Bedrock that answer conversations.
var apis = map[string]func(*bedrockruntime.Client, conformance.Setup) conformance.Conversation{
	"invoke":   openInvoke,
	"converse": openConverse,
}

func main() {
	open := apis[os.Args[1]]
	err := conformance.RunProgram(os.Stdin, os.Stdout, func(baseURL, key string, setup conformance.Setup) conformance.Conversation {
		return open(dial(baseURL, key), setup)
	})
	if err != nil {
		log.Fatal(err)
	}
}

// dial returns a client. Where a key is not asked for, any will do, but the library wants one.
func dial(baseURL, key string) *bedrockruntime.Client {
	options := bedrockruntime.Options{
		BaseEndpoint: aws.String(baseURL),
		Region:       "us-east-1",
		Credentials:  credentials.NewStaticCredentialsProvider(cmp.Or(key, "any"), "secret", ""),
		HTTPClient:   patient{awshttp.NewBuildableClient()},
	}
	if !slices.Contains(os.Args, "retries") { // with it, the library asks as often as it does by default
		options.Retryer = aws.NopRetryer{}
	}
	return bedrockruntime.New(options)
}

// patient lets a request come to its end. The library closes its body as soon as there is an answer,
// and a closed body's WriteTo fails: where the transport has yet to look for the end, it drops the
// connection with the answer. A server on the same machine can be that fast.
type patient struct{ bedrockruntime.HTTPClient }

func (c patient) Do(r *http.Request) (*http.Response, error) {
	own := *r
	own.Body = struct{ io.ReadCloser }{r.Body} // without WriteTo
	return c.HTTPClient.Do(&own)
}

// failure makes what the library says of an error answer comparable. An error within a stream has no
// status, and its request is known by the metadata of the stream.
func failure(err error, stream middleware.Metadata) error {
	e, ok := errors.AsType[smithy.APIError](err)
	if !ok {
		return err
	}
	body, bad := json.Marshal(map[string]string{"__type": e.ErrorCode(), "message": e.ErrorMessage()})
	if bad != nil {
		return bad
	}
	f := &conformance.Failure{Body: body}
	if response, ok := errors.AsType[*awshttp.ResponseError](err); ok {
		f.Status, f.RequestID = response.HTTPStatusCode(), response.ServiceRequestID()
	} else {
		f.RequestID, _ = awsmiddleware.GetRequestIDMetadata(stream)
	}
	return f
}
