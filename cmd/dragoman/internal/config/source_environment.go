package config

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	awsconfig "github.com/aws/aws-sdk-go-v2/config"
)

// fromEnvironment takes the upstream from the environment, where none is declared. An AWS
// region is enough for Bedrock; Vertex needs a project and a location. The names that
// clients ask for are then the upstream's ids. Where both could be meant, Bedrock is
// taken, with a warning. Where there is neither, the problem says how to begin.
func (l *loader) fromEnvironment() {
	region, err := awsRegion(l.getenv, "")
	if err != nil {
		l.complain("AWS_PROFILE", err.Error(), "mend the profile, or set AWS_REGION")
		return
	}
	if !isRegion(region) {
		l.complain("AWS_REGION", fmt.Sprintf("%q is not a region", region), "write it as in us-east-1")
		return
	}
	g := l.google()
	complete := g.project != "" && g.location != ""
	switch {
	case region != "":
		l.only(Upstream{Name: Bedrock, Kind: Bedrock}, l.regionFrom(""))
		if complete {
			l.cfg.Warnings = append(l.cfg.Warnings, Problem{
				Where: g.locationFrom,
				Cause: "set, but so is the AWS region " + region + ": every model is asked on Amazon Bedrock, none on Google Vertex AI",
				Fix:   "unset one of them, or declare both upstreams in a --config file",
			})
		}
		return
	case complete:
		l.only(Upstream{Name: Vertex, Kind: Vertex}, g.locationFrom)
		return
	}
	cause := "there is no upstream: no --config file that declares one, no AWS region, and not --simulated"
	if l.src.File != "" {
		cause = "there is no upstream: " + l.src.File + " declares none, there is no AWS region, and not --simulated"
	}
	if set, _ := l.first([]string{g.projectFrom, g.locationFrom, credentialsVariable}); set != "" {
		cause += fmt.Sprintf(" (%s is set, but Google Vertex AI needs a project and a location: GOOGLE_CLOUD_PROJECT and CLOUD_ML_REGION)", set)
	}
	ways := waysToServe
	if l.src.Wraps {
		ways = waysToRun
	}
	l.complain("", cause, "do one of:"+ways)
}

// What can be done where there is no upstream.
const (
	waysToServe = `
  dragoman serve --simulated                the built-in model: no account, no network
  AWS_REGION=us-east-1 dragoman serve       Amazon Bedrock, with your AWS credentials
  GOOGLE_CLOUD_PROJECT=p CLOUD_ML_REGION=global dragoman serve
                                            Google Vertex AI, with your Google credentials
  dragoman serve --base-url http://127.0.0.1:8080/v1
                                            a server with chat completions: llama.cpp, Ollama, vLLM, …
  dragoman serve --config dragoman.yaml     upstreams and models of your own`
	waysToRun = `
  dragoman run --simulated -- COMMAND               the built-in model: no account, no network
  AWS_REGION=us-east-1 dragoman run -- COMMAND      Amazon Bedrock, with your AWS credentials
  GOOGLE_CLOUD_PROJECT=p CLOUD_ML_REGION=global dragoman run -- COMMAND
                                                    Google Vertex AI, with your Google credentials
  dragoman run --base-url http://127.0.0.1:8080/v1 -- COMMAND
                                                    a server with chat completions: llama.cpp, Ollama, vLLM, …
  dragoman run --config dragoman.yaml -- COMMAND    upstreams and models of your own`
)

// regionFrom says where awsRegion has a region from.
func (l *loader) regionFrom(profile string) string {
	name, _ := l.first([]string{"AWS_REGION", "AWS_DEFAULT_REGION"})
	return cmp.Or(name, strings.TrimSpace("the AWS profile "+cmp.Or(profile, l.getenv("AWS_PROFILE"), l.getenv("AWS_DEFAULT_PROFILE"))))
}

// awsRegion returns the region that the AWS SDKs would take: from the variables or else
// from the profile, "" if neither has one. An empty profile stands for the one that
// AWS_PROFILE names, or the default one. It is an error if a profile that was named does
// not exist.
func awsRegion(getenv func(string) string, profile string) (string, error) {
	if region := cmp.Or(getenv("AWS_REGION"), getenv("AWS_DEFAULT_REGION")); region != "" {
		return region, nil
	}
	asked := cmp.Or(profile, getenv("AWS_PROFILE"), getenv("AWS_DEFAULT_PROFILE"))
	shared, err := awsconfig.LoadSharedConfigProfile(context.Background(), cmp.Or(asked, "default"),
		func(o *awsconfig.LoadSharedConfigOptions) {
			home := cmp.Or(getenv("HOME"), getenv("USERPROFILE"))
			o.ConfigFiles = []string{cmp.Or(getenv("AWS_CONFIG_FILE"), filepath.Join(home, ".aws", "config"))}
			o.CredentialsFiles = []string{cmp.Or(getenv("AWS_SHARED_CREDENTIALS_FILE"), filepath.Join(home, ".aws", "credentials"))}
		})
	var absent awsconfig.SharedConfigProfileNotExistError
	switch {
	case err == nil:
		return shared.Region, nil
	case errors.As(err, &absent) && asked == "":
		return "", nil
	case errors.As(err, &absent):
		return "", fmt.Errorf("the AWS configuration has no profile %q", asked)
	default: // the SDK's message has line breaks
		return "", errors.New(strings.Join(strings.Fields(err.Error()), " "))
	}
}
