package upstream

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// VertexOptions say how to reach Google Vertex AI.
type VertexOptions struct {
	Project  string // id or number
	Location string // a region, "global", or a multi-region: "us", "eu"
	// Endpoint is a URL to use instead of the location's own, with or without /v1 at its
	// end.
	Endpoint string
	// Credentials is the path of a credentials file: of a user, a service account, or
	// another identity provider (workload identity federation). It is read again for every
	// new token, so that it can be rotated. "" asks the metadata server of the machine or
	// pod.
	Credentials string
	// Connect is how long it may take to reach Vertex, or a token server.
	Connect Connect
	// Roots are the authorities of the certificates of Vertex and of token servers; nil for the
	// system's.
	Roots *x509.CertPool
	// HTTPClient replaces the client with the settings of this package, for Vertex and for
	// token servers; nil is that client. Redirects are not followed either way.
	HTTPClient *http.Client
	// OnToken, if it is not nil, is called with the expiry of each new access token that has
	// one. Calls do not overlap.
	OnToken func(expiry time.Time)
	// OnRequest, if it is not nil, is called before each request to Vertex, and not before those to
	// token servers.
	OnRequest OnRequest
}

// Vertex asks models on Google Vertex AI (docs/reference/vertex.md §1).
type Vertex struct {
	opt      VertexOptions
	location string // its URL, within the project
	client   *http.Client
	names    *resolver // of endpoints that users deployed
	tokens   *googleTokens
}

// NewVertex returns an upstream with these options, or an error that names the option
// that makes no sense. It does not touch the network: credentials are looked for when
// the first request needs them.
func NewVertex(_ context.Context, opt VertexOptions) (*Vertex, error) {
	base, err := vertexBase(opt)
	if err != nil {
		return nil, err
	}
	client := clientOf(opt.HTTPClient, opt.Connect, opt.Roots)
	if client.Transport == nil {
		client.Transport = http.DefaultTransport
	}
	tokens := newGoogleTokens(opt, *client)
	client.Transport = &bearerTransport{base: opt.OnRequest.over(client.Transport), tokens: tokens}
	return &Vertex{opt: opt, location: base + "/projects/" + opt.Project + "/locations/" + opt.Location, client: client, names: newResolver(), tokens: tokens}, nil
}

// Close is for when nothing more will be asked: it closes the connections that are kept, and ends what still asks which
// model an endpoint has.
func (v *Vertex) Close() {
	v.names.close()
	v.client.CloseIdleConnections()
}

// vertexBase returns the URL that all paths of the API begin with
// (docs/reference/vertex.md §1). The location is a part of its host name, so both it and
// the project are checked here.
func vertexBase(opt VertexOptions) (string, error) {
	switch {
	case opt.Project == "":
		return "", errors.New("vertex: no project")
	case opt.Location == "":
		return "", errors.New("vertex: no location")
	case !IsVertexProject(opt.Project):
		return "", fmt.Errorf("vertex project: %q is not the id of a project", opt.Project)
	case !IsVertexLocation(opt.Location):
		return "", fmt.Errorf("vertex location: %q is not a location", opt.Location)
	case opt.Endpoint != "":
		base, err := parseBase(opt.Endpoint)
		if err != nil {
			return "", fmt.Errorf("vertex endpoint: %w", err)
		}
		return withVersion(base), nil
	}
	switch opt.Location {
	case "global":
		return "https://aiplatform.googleapis.com/v1", nil
	case "us", "eu":
		return "https://aiplatform." + opt.Location + ".rep.googleapis.com/v1", nil
	}
	return "https://" + opt.Location + "-aiplatform.googleapis.com/v1", nil
}

const lowerAlphanumeric = "abcdefghijklmnopqrstuvwxyz0123456789"

// IsVertexProject reports whether s can be the id or the number of a project. Older ids
// are scoped by a domain: "example.com:my-project".
func IsVertexProject(s string) bool {
	return s != "" && strings.Trim(s, lowerAlphanumeric+"-.:") == "" && strings.Contains(lowerAlphanumeric, s[:1])
}

// IsVertexLocation reports whether s can be a location. It stands in a host name.
func IsVertexLocation(s string) bool {
	return s != "" && strings.Trim(s, lowerAlphanumeric+"-") == ""
}

// isVertexModel reports whether s can stand in a path as one segment: clients may name a
// model themselves.
func isVertexModel(s string) bool {
	letters := lowerAlphanumeric + strings.ToUpper(lowerAlphanumeric)
	return s != "" && len(s) <= maxModelID && strings.Trim(s, letters+"-._@") == "" && !strings.Contains(s, "..")
}
