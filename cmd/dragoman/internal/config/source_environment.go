package config

import "fmt"

// fromEnvironment takes the upstream from the environment if none is declared. Bedrock needs only an AWS region; Vertex
// needs a project and a location. Clients then ask for the upstream's own ids. If the environment fits both, Bedrock
// wins, with a warning. If it fits neither, the problem says how to begin.
func (l *loader) fromEnvironment() {
	region, err := awsRegion(l.getenv, "")
	if err != nil {
		l.complain("AWS_PROFILE", err.Error(), "correct the profile, or set AWS_REGION")
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

// What to do without an upstream.
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
