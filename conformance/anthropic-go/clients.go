package main

import (
	"cmp"
	"context"

	"github.com/anthropics/anthropic-sdk-go/v2/bedrock"
	"github.com/anthropics/anthropic-sdk-go/v2/option"
	"github.com/anthropics/anthropic-sdk-go/v2/vertex"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"
)

// clients are the clients of the library, one for each API. The library requires a key even if the server
// needs none.
var clients = map[string]func(ctx context.Context, baseURL, key string) []option.RequestOption{
	"messages": func(_ context.Context, baseURL, key string) []option.RequestOption {
		return []option.RequestOption{
			option.WithoutEnvironmentDefaults(),
			option.WithBaseURL(baseURL),
			option.WithAPIKey(key),
			option.WithMaxRetries(0),
		}
	},
	"vertex": func(ctx context.Context, baseURL, key string) []option.RequestOption {
		token := oauth2.StaticTokenSource(&oauth2.Token{AccessToken: cmp.Or(key, "any")})
		return []option.RequestOption{
			vertex.WithCredentials(ctx, "us-east5", "my-project", &google.Credentials{TokenSource: token}),
			option.WithBaseURL(baseURL), // because the option before sets another URL
			option.WithMaxRetries(0),
		}
	},
	"bedrock": func(_ context.Context, baseURL, key string) []option.RequestOption {
		return []option.RequestOption{
			bedrock.WithConfig(aws.Config{
				Region:      "us-east-1",
				Credentials: credentials.NewStaticCredentialsProvider(cmp.Or(key, "any"), "secret", ""),
			}),
			option.WithBaseURL(baseURL),
			option.WithMaxRetries(0),
		}
	},
}
