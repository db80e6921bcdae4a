// A program that holds conversations through the AWS SDK for Go. Its argument names one of the APIs.
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

// apis are Bedrock's APIs for conversations.
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

// dial returns a client. The library requires a key even if the server needs none.
func dial(baseURL, key string) *bedrockruntime.Client {
	options := bedrockruntime.Options{
		BaseEndpoint: aws.String(baseURL),
		Region:       "us-east-1",
		Credentials:  credentials.NewStaticCredentialsProvider(cmp.Or(key, "any"), "secret", ""),
		HTTPClient:   patient{awshttp.NewBuildableClient()},
	}
	if !slices.Contains(os.Args, "retries") { // with it, the library retries as by default
		options.Retryer = aws.NopRetryer{}
	}
	return bedrockruntime.New(options)
}

// patient lets the transport read the request body to its end. The library closes the body as soon as an
// answer arrives, and WriteTo of a closed body fails. If the transport still has to look for the end, it
// drops the connection and with it the answer. A server on the same machine is fast enough for that.
type patient struct{ bedrockruntime.HTTPClient }

func (c patient) Do(r *http.Request) (*http.Response, error) {
	own := *r
	own.Body = struct{ io.ReadCloser }{r.Body} // without WriteTo
	return c.HTTPClient.Do(&own)
}

// failure returns the library's error in a form that tests can compare. An error in a stream has no status,
// and the metadata of the stream has its request id.
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
