package upstream

import (
	"context"
	"strings"
)

// Found is where the credentials of an upstream are from, for the log.
type Found struct {
	Source  string // in words
	Account string // of AWS; "" if it is not known
	Project string // of Google; "" for AWS
}

// Credentials looks for the credentials that requests will have, and keeps them. It is an [*Error] if there are none.
func (b *Bedrock) Credentials(ctx context.Context) (Found, error) {
	found, err := b.credentials.Retrieve(ctx)
	if err != nil {
		return Found{}, transportError(err)
	}
	return Found{Source: awsSource(found.Source), Account: found.AccountID}, nil
}

// Credentials looks for the token that requests will have, and keeps it. It is an [*Error] if there is none.
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

// awsSources are the providers of the AWS SDK in words.
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

// awsSource returns a source of the AWS SDK in words. Behind a colon the SDK names the file.
func awsSource(source string) string {
	provider, file, _ := strings.Cut(source, ": ")
	if words := awsSources[provider]; words != "" {
		provider = words
	}
	return strings.TrimSpace(provider + " " + file)
}
