package main

import (
	"cmp"
	"crypto/rand"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// clientVariables returns the variables that point clients to a server, as NAME=value. key is the key that clients must
// send; "" if any key will do. getenv has the variables that clients would otherwise have.
//
// docs/reference/clients.md says which client reads which variable.
func clientVariables(url, key string, getenv func(string) string) []string {
	all := []string{
		"ANTHROPIC_BASE_URL=" + url,
		"ANTHROPIC_API_URL=" + url, // LangChain reads this one first
		"ANTHROPIC_BEDROCK_BASE_URL=" + url,
		"ANTHROPIC_BEDROCK_MANTLE_BASE_URL=" + url,
		"ANTHROPIC_AWS_BASE_URL=" + url,
		"ANTHROPIC_VERTEX_BASE_URL=" + url + "/v1",
		"ANTHROPIC_GOOGLE_CLOUD_BASE_URL=" + url,
		"AWS_ENDPOINT_URL_BEDROCK_RUNTIME=" + url,
		"AWS_ENDPOINT_URL_BEDROCK=" + url, // which lists models
	}
	all = append(all, keyVariables(key, getenv)...)
	all = append(all, regionVariables(getenv)...)
	all = append(all, directVariables(getenv)...)
	// Claude Code begins its prompts with a line about itself, which only Anthropic's servers remove.
	if getenv("CLAUDE_CODE_ATTRIBUTION_HEADER") == "" {
		all = append(all, "CLAUDE_CODE_ATTRIBUTION_HEADER=0")
	}
	return all
}

// modelVariables returns the variables with the name of a model that are not set; none if the model is "".
func modelVariables(model string, getenv func(string) string) (all []string) {
	for _, name := range []string{"ANTHROPIC_MODEL", "ANTHROPIC_SMALL_FAST_MODEL"} {
		if model != "" && !isSet(getenv, name) {
			all = append(all, name+"="+model)
		}
	}
	return all
}

// openAIVariables is clientVariables for clients of OpenAI's API.
func openAIVariables(url, key string, getenv func(string) string) []string {
	all := []string{
		"OPENAI_BASE_URL=" + url + "/v1",
		"OPENAI_API_BASE=" + url + "/v1", // LangChain and LlamaIndex read this one first
	}
	if key != "" || !isSet(getenv, "OPENAI_API_KEY") {
		all = append(all, "OPENAI_API_KEY="+cmp.Or(key, "none"))
	}
	return all
}

// without returns the variables (NAME=value) except those with these names, and the names that it removed.
func without(variables, names []string) (kept, removed []string) {
	for _, variable := range variables {
		name, _, _ := strings.Cut(variable, "=")
		if slices.ContainsFunc(names, func(secret string) bool { return isSameVariable(secret, name) }) {
			removed = append(removed, name)
		} else {
			kept = append(kept, variable)
		}
	}
	return kept, removed
}

// hiding returns getenv without these variables.
func hiding(getenv func(string) string, names []string) func(string) string {
	return func(name string) string {
		if slices.ContainsFunc(names, func(hidden string) bool { return isSameVariable(hidden, name) }) {
			return ""
		}
		return getenv(name)
	}
}

// isSameVariable reports whether two names mean the same variable. On Windows case does not matter.
func isSameVariable(a, b string) bool {
	return a == b || runtime.GOOS == "windows" && strings.EqualFold(a, b)
}

// newSecret returns a key that nobody can guess.
func newSecret() string { return "run-" + rand.Text() }

// keyVariables returns the variables with a key. If any key will do, clients without a key get a placeholder, because
// they do not start without one. The AWS variable is only for Bedrock, unlike an access key.
func keyVariables(key string, getenv func(string) string) []string {
	var all []string
	if key != "" || !isSet(getenv, "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN") {
		all = append(all, "ANTHROPIC_API_KEY="+cmp.Or(key, "none"))
	}
	if key != "" && isSet(getenv, "ANTHROPIC_AUTH_TOKEN") {
		all = append(all, "ANTHROPIC_AUTH_TOKEN="+key)
	}
	if key != "" || !hasAWSCredentials(getenv) {
		all = append(all, "AWS_BEARER_TOKEN_BEDROCK="+cmp.Or(key, "none"), "ANTHROPIC_AWS_API_KEY="+cmp.Or(key, "none"))
	}
	return all
}

// regionVariables returns a region if none is set: Bedrock clients sign for a region, whichever it is.
func regionVariables(getenv func(string) string) []string {
	if isSet(getenv, "AWS_REGION", "AWS_DEFAULT_REGION") || hasAWSFile(getenv, "AWS_CONFIG_FILE", "config") {
		return nil
	}
	return []string{"AWS_REGION=us-east-1", "AWS_DEFAULT_REGION=us-east-1"}
}

// hasAWSCredentials reports whether AWS clients would find credentials in the environment.
func hasAWSCredentials(getenv func(string) string) bool {
	return isSet(getenv, "AWS_BEARER_TOKEN_BEDROCK", "AWS_ACCESS_KEY_ID", "AWS_PROFILE", "AWS_WEB_IDENTITY_TOKEN_FILE",
		"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONTAINER_CREDENTIALS_FULL_URI") ||
		hasAWSFile(getenv, "AWS_SHARED_CREDENTIALS_FILE", "credentials") || hasAWSFile(getenv, "AWS_CONFIG_FILE", "config")
}

// hasAWSFile reports whether a file of the AWS SDKs exists: under the variable's path, or under its default name.
func hasAWSFile(getenv func(string) string, variable, name string) bool {
	_, err := os.Stat(cmp.Or(getenv(variable), filepath.Join(getenv("HOME"), ".aws", name)))
	return err == nil
}

// directVariables returns the variables that keep clients from using a network proxy for the server, if there is one:
// Python clients would use it even for loopback addresses. The hosts that either variable has stay.
func directVariables(getenv func(string) string) []string {
	if !isSet(getenv, "HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy") {
		return nil
	}
	var hosts []string
	for host := range strings.SplitSeq(getenv("NO_PROXY")+","+getenv("no_proxy")+",127.0.0.1,localhost", ",") {
		if host = strings.TrimSpace(host); host != "" && !slices.Contains(hosts, host) {
			hosts = append(hosts, host)
		}
	}
	list := strings.Join(hosts, ",")
	return []string{"NO_PROXY=" + list, "no_proxy=" + list}
}

// isSet reports whether one of the variables has a value.
func isSet(getenv func(string) string, names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return getenv(name) != "" })
}
