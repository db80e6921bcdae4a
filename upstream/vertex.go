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
	// Endpoint replaces the location's own URL; /v1 at its end is optional.
	Endpoint string
	// Credentials is the path of a credentials file: of a user, a service account, or another identity
	// provider (workload identity federation). Dragoman reads it again for every new token, so the file can
	// be rotated. "" takes tokens from the metadata server of the machine or Pod.
	Credentials string
	// Connect limits the time to reach Vertex, or a token server.
	Connect Connect
	// Roots are the authorities that may sign the certificates of Vertex and of token servers; nil for the
	// system's.
	Roots *x509.CertPool
	// HTTPClient replaces this package's own client for Vertex and for token servers; optional. Either way,
	// redirects are not followed.
	HTTPClient *http.Client
	// OnToken is called with the expiry of each new access token; optional. It is not called for tokens that
	// never expire. Calls do not overlap.
	OnToken func(expiry time.Time)
	// OnRequest is called before each request to Vertex; optional. It is not called before requests to token
	// servers.
	OnRequest OnRequest
}

// Vertex asks models on Google Vertex AI (docs/reference/vertex.md §1).
type Vertex struct {
	opt      VertexOptions
	location string // the URL of the project at the location
	client   *http.Client
	names    *resolver // for endpoints that users deployed
	tokens   *googleTokens
}

// NewVertex returns an upstream with these options, or an error that names the invalid option. It does not
// touch the network: it looks for credentials when the first request needs them.
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

// Close closes the idle connections, and ends the requests that still ask Vertex about endpoints. Call it
// when no more requests will come.
func (v *Vertex) Close() {
	v.names.close()
	v.client.CloseIdleConnections()
}

// vertexBase returns the URL that all paths of the API begin with (docs/reference/vertex.md §1). The location
// is part of the host name and the project is part of the path, so vertexBase checks both.
func vertexBase(opt VertexOptions) (string, error) {
	switch {
	case opt.Project == "":
		return "", errors.New("vertex: no project. Set the key project")
	case opt.Location == "":
		return "", errors.New("vertex: no location. Set the key location")
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

// IsVertexProject reports whether s can be the id or the number of a project. Older ids have a domain before
// the project: "example.com:my-project".
func IsVertexProject(s string) bool {
	return s != "" && strings.Trim(s, lowerAlphanumeric+"-.:") == "" && strings.Contains(lowerAlphanumeric, s[:1])
}

// IsVertexLocation reports whether s can be a location, which becomes part of a host name.
func IsVertexLocation(s string) bool {
	return s != "" && strings.Trim(s, lowerAlphanumeric+"-") == ""
}

// isVertexModel reports whether s is a safe model id: one segment of a path. Clients may name a model
// themselves.
func isVertexModel(s string) bool {
	letters := lowerAlphanumeric + strings.ToUpper(lowerAlphanumeric)
	return s != "" && len(s) <= maxModelID && strings.Trim(s, letters+"-._@") == "" && !strings.Contains(s, "..")
}
