package upstream

import (
	"context"
	"strings"
)

// Found says where the credentials of an upstream come from, for the log.
type Found struct {
	Source  string // for people, such as "aws login"
	Account string // the AWS account; "" if not known
	Project string // the Google project; "" for AWS
}

// Credentials looks up the credentials for requests and caches them. If there are none, the error is an
// [*Error].
func (b *Bedrock) Credentials(ctx context.Context) (Found, error) {
	found, err := b.credentials.Retrieve(ctx)
	if err != nil {
		return Found{}, transportError(err)
	}
	return Found{Source: awsSource(found.Source), Account: found.AccountID}, nil
}

// Credentials looks up the token for requests and caches it. If there is none, the error is an [*Error].
func (v *Vertex) Credentials(ctx context.Context) (Found, error) {
	if _, err := v.tokens.get(ctx); err != nil {
		return Found{}, transportError(err)
	}
	source := "the metadata server of Google"
	if v.tokens.file != "" {
		source = "the credentials file " + v.tokens.file
	}
	return Found{Source: source, Project: v.opt.Project}, nil
}

// awsSources describes the credential providers of the AWS SDK in words.
var awsSources = map[string]string{
	"EnvConfigCredentials":        "the environment (AWS_ACCESS_KEY_ID)",
	"SharedConfigCredentials":     "the shared file",
	"SSOProvider":                 "AWS IAM Identity Center (aws sso login)",
	"LoginProvider":               "aws login",
	"ProcessProvider":             "credential_process of the profile",
	"AssumeRoleProvider":          "a role that the profile assumes",
	"WebIdentityCredentials":      "a web identity token (AWS_WEB_IDENTITY_TOKEN_FILE)",
	"CredentialsEndpointProvider": "the container (ECS, or EKS Pod Identity)",
	"EC2RoleProvider":             "the role of the EC2 instance",
}

// awsSource describes a source of the AWS SDK in words. The SDK names the file after a colon.
func awsSource(source string) string {
	provider, file, _ := strings.Cut(source, ": ")
	if words := awsSources[provider]; words != "" {
		provider = words
	}
	return strings.TrimSpace(provider + " " + file)
}
