package config

import (
	"cmp"
	"crypto/x509"
	"net/url"

	"dragoman/upstream"
)

// The kinds of upstream that this version serves.
const (
	Simulated = string(upstream.KindSimulated)
	Bedrock   = string(upstream.KindBedrock)
	Anthropic = string(upstream.KindAnthropic)
	OpenAI    = string(upstream.KindOpenAI)
	Vertex    = string(upstream.KindVertex)
)

// Upstream is an entry of upstreams: a way to reach models. The kind decides which other keys it has.
type Upstream struct {
	Name string

	// The API of the upstream.
	Kind string `yaml:"kind" required:"true" words:"simulated bedrock vertex anthropic openai" is:"kind" example:"openai" see:"reference/upstreams.md#kinds"`

	// The AWS region.
	Region string `yaml:"region" kinds:"bedrock" pattern:"^[a-z0-9-]*$" usually:"the region of the environment or the profile" example:"us-east-1" see:"reference/upstreams.md#credentials"`

	// The profile of the shared AWS configuration that has the credentials.
	Profile string `yaml:"profile" kinds:"bedrock" usually:"the default chain of credentials" example:"work" see:"reference/upstreams.md#credentials"`

	// The id of the Google Cloud project.
	Project string `yaml:"project" kinds:"vertex" usually:"the project of the environment or the credentials file" example:"my-project" see:"reference/upstreams.md#credentials"`

	// A region of Google Cloud, `global`, or a multi-region.
	Location string `yaml:"location" kinds:"vertex" pattern:"^[a-z0-9-]*$" usually:"the location of the environment" example:"us-east5" see:"reference/upstreams.md#credentials"`

	// A URL to use instead of the public URL of the service.
	Endpoint string `yaml:"endpoint" kinds:"bedrock vertex" is:"URL" usually:"the URL of the region or the location" example:"https://bedrock.internal.example" see:"how-to/deployment.md#networks"`

	// The URL of the server, without `/v1/messages` (`anthropic`) or `/chat/completions` (`openai`).
	BaseURL string `yaml:"base_url" kinds:"anthropic openai" required:"true" is:"URL" example:"http://127.0.0.1:8080/v1" see:"reference/upstreams.md#kinds"`

	// The key that Dragoman sends to the server. `${VAR}` or `file:/path` keep it out of the file.
	APIKey string `yaml:"api_key" kinds:"anthropic openai" is:"secret" example:"${KEY}" see:"reference/upstreams.md#credentials"`

	// A PEM file with certificate authorities to trust for this server, in addition to the system's.
	CA string `yaml:"ca" kinds:"bedrock vertex anthropic openai" is:"path" usually:"only the authorities of the system" example:"/etc/dragoman/ca.pem" see:"how-to/deployment.md#networks"`

	// Whether Dragoman asks the upstream for its models. It does so for `GET /v1/models`, if an entry of `models` has a
	// wildcard in its name, and no `model`. If the upstream has a `base_url`, it also does so once at the start, and warns
	// if nothing answers.
	ListModels *bool `yaml:"list_models" kinds:"bedrock vertex anthropic openai" default:"true" example:"false" see:"reference/routes.md#which-models-are-listed"`

	Credentials string         // Vertex: the path of a Google credentials file; "": the metadata server
	Roots       *x509.CertPool // the authorities of CA and of the system; nil: only the system's
}

// Paid reports whether a call may cost money: the models run neither in this process nor on this machine.
func (u Upstream) Paid() bool {
	base, err := url.Parse(u.BaseURL)
	return u.Kind != Simulated && (u.BaseURL == "" || err != nil || !isLoopback(base.Hostname()))
}

// Place returns, for people, where the upstream's models are.
func (u Upstream) Place() string {
	switch u.Kind {
	case Bedrock:
		return cmp.Or(u.Endpoint, u.Region)
	case Vertex:
		return cmp.Or(u.Endpoint, u.Location)
	case Anthropic, OpenAI:
		return u.BaseURL
	default:
		return "(built in; not a model)"
	}
}

// ListsModels reports whether Dragoman asks the upstream for its models.
func (u Upstream) ListsModels() bool { return u.ListModels == nil || *u.ListModels }

// Same reports whether two upstreams are the same. Certificate pools contain functions, which never compare as equal,
// so Same uses the pool's own comparison.
func (u Upstream) Same(other Upstream) bool {
	same := u.Roots.Equal(other.Roots) && u.ListsModels() == other.ListsModels()
	u.Roots, other.Roots, u.ListModels, other.ListModels = nil, nil, nil, nil
	return same && u == other
}
