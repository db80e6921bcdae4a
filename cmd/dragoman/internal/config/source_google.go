package config

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json"

	"dragoman/upstream"
)

// The variables that Google's and Anthropic's SDKs read (docs/reference/vertex.md §4), the strongest first.
var (
	projectVariables  = []string{"ANTHROPIC_VERTEX_PROJECT_ID", "GOOGLE_CLOUD_PROJECT", "CLOUDSDK_CORE_PROJECT"}
	locationVariables = []string{"CLOUD_ML_REGION", "GOOGLE_CLOUD_LOCATION", "GOOGLE_CLOUD_REGION"}
)

// credentialsVariable names the credentials file.
const credentialsVariable = "GOOGLE_APPLICATION_CREDENTIALS"

// first returns the first variable that is set, and its value.
func (l *loader) first(names []string) (name, value string) {
	for _, name := range names {
		if value := l.getenv(name); value != "" {
			return name, value
		}
	}
	return "", ""
}

// googleEnvironment is the environment's part of a Vertex upstream, with the variables that it comes from. The project
// may come from the credentials file: then projectFrom is "".
type googleEnvironment struct {
	project, projectFrom   string
	location, locationFrom string
	credentials            string // a path; "": the metadata server
}

// google returns the environment's part of a Vertex upstream. A missing value is "".
func (l *loader) google() googleEnvironment {
	g := googleEnvironment{credentials: l.googleCredentials()}
	g.locationFrom, g.location = l.first(locationVariables)
	g.projectFrom, g.project = l.first(projectVariables)
	if g.project == "" {
		g.project = projectOf(g.credentials)
	}
	return g
}

// checkVertex takes missing values of an upstream from the environment, and reports values that are missing or cannot
// be right.
func (l *loader) checkVertex(u *Upstream, key string) {
	g := l.google()
	if u.Project == "" {
		l.derive(key+".project", cmp.Or(g.projectFrom, g.credentials))
	}
	if u.Location == "" {
		l.derive(key+".location", g.locationFrom)
	}
	u.Project, u.Location, u.Credentials = cmp.Or(u.Project, g.project), cmp.Or(u.Location, g.location), g.credentials
	switch {
	case u.Project == "":
		l.reportValue(key, "project", g.projectFrom, "the upstream has no project, and neither has the environment, nor a credentials file",
			"add project: my-project, or set GOOGLE_CLOUD_PROJECT")
	case !upstream.IsVertexProject(u.Project):
		l.reportValue(key, "project", g.projectFrom, fmt.Sprintf("%q is not the id of a project", u.Project), "write it as in my-project-123")
	}
	switch {
	case u.Location == "":
		l.reportValue(key, "location", g.locationFrom, "the upstream has no location, and neither has the environment",
			"add location: us-east5, or set CLOUD_ML_REGION")
	case !upstream.IsVertexLocation(u.Location):
		l.reportValue(key, "location", g.locationFrom, fmt.Sprintf("%q is not a location", u.Location), "write it as in us-east5, global, us or eu")
	}
	if g.credentials == "" {
		return
	}
	if err := regular(g.credentials); err != nil {
		l.complain(credentialsVariable, g.credentials+" cannot be read: "+reason(err), "check the path, or unset it to ask the metadata server")
	}
}

// reportValue adds a problem with one value of an upstream: at the line of the value; if the file does not have the
// value, at the line of the upstream; and without a file, at the variable.
func (l *loader) reportValue(key, name, variable, cause, fix string) {
	if line, given := l.lines[key+"."+name]; given {
		l.report(line, key+"."+name, cause, fix)
	} else if line, given := l.lines[key]; given {
		l.report(line, key, cause, fix)
	} else {
		l.complain(variable, cause, fix)
	}
}

// googleCredentials returns the path of the credentials file that Google's SDKs would read: the file in the variable,
// or else gcloud's. It is "" if neither exists: then credentials come from the metadata server.
func (l *loader) googleCredentials() string {
	if path := l.getenv(credentialsVariable); path != "" {
		return path
	}
	folder := l.getenv("CLOUDSDK_CONFIG")
	switch home, data := l.getenv("HOME"), l.getenv("APPDATA"); {
	case folder != "":
	case home != "":
		folder = filepath.Join(home, ".config", "gcloud")
	case data != "":
		folder = filepath.Join(data, "gcloud")
	default:
		return ""
	}
	path := filepath.Join(folder, "application_default_credentials.json")
	if _, err := os.Stat(path); err != nil {
		return ""
	}
	return path
}

// projectOf returns the project in a credentials file; "" if it has none.
func projectOf(path string) string {
	if regular(path) != nil {
		return "" // checkVertex reports it
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "" // checkVertex reports an unreadable file
	}
	var file struct {
		Project string `json:"project_id"`
		Quota   string `json:"quota_project_id"`
	}
	_ = json.Unmarshal(data, &file) // a file that is not JSON has no project; the first request reports the error
	return cmp.Or(file.Project, file.Quota)
}
