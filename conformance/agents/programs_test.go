package agents

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
)

var agents = []agent{claudeCode, openCode, pi, cline, copilot, qwenCode}

// architecture maps GOARCH to the machine's name in npm packages.
var architecture = map[string]string{"amd64": "x64"}

// native is the part of a package's name that says which machine it is for.
func native() string {
	if arch, ok := architecture[runtime.GOARCH]; ok {
		return "linux-" + arch
	}
	return "linux-" + runtime.GOARCH
}

// claudeCode needs only the environment. It may use its tools without asking.
var claudeCode = agent{
	name:    "claude-code",
	program: "@anthropic-ai/claude-code-" + native() + "/claude",
	args: func(task string) []string {
		return []string{"-p", task, "--allowedTools", "Read", "Edit", "Bash"}
	},
	tools: tools{
		read: call{"Read", "<file_path>%s</file_path>"},
		edit: call{"Edit", "<file_path>%s</file_path>\n<old_string>mroning, <you> &</old_string>\n<new_string>morning, <you> &</new_string>"},
		bash: call{"Bash", "<command>" + shell + "</command>\n<description>Copy the file</description>"},
	},
}

// openCode has the base URL in its own configuration, with /v1. The folder pins the build of opencode-ai for
// Linux that runs on older processors, because npm ci would need the builds for all machines.
var openCode = agent{
	name:    "opencode",
	machine: "amd64",
	program: "opencode-linux-x64-baseline/bin/opencode",
	args: func(task string) []string {
		return []string{"run", "--model", "anthropic/claude-sonnet-4-5", task}
	},
	configure: func(t *testing.T, _, work, url string) {
		write(t, filepath.Join(work, "opencode.json"), `{"provider": {"anthropic": {"options": {"baseURL": "%s/v1"}}}}`, url)
	},
	tools: tools{
		read: call{"read", "<filePath>%s</filePath>"},
		edit: call{"edit", "<filePath>%s</filePath>\n<oldString>mroning, <you> &</oldString>\n<newString>morning, <you> &</newString>"},
		bash: call{"bash", "<command>" + shell + "</command>\n<description>Copy the file</description>"},
	},
}

// pi has the base URL in its own configuration, and takes edits as a list. It asks for values in pieces
// (`eager_input_streaming`), and runs cut commands.
var pi = agent{
	name:    "pi",
	program: ".bin/pi",
	args: func(task string) []string {
		return []string{"--provider", "anthropic", "--model", "claude-sonnet-4-5", "--print", task}
	},
	configure: func(t *testing.T, home, _, url string) {
		write(t, filepath.Join(home, ".pi", "agent", "models.json"), `{"providers": {"anthropic": {"baseUrl": %q}}}`, url)
	},
	tools: tools{
		read:  call{"read", "<path>%s</path>"},
		edit:  call{"edit", "<path>%s</path>\n<edits>[{\"oldText\": \"mroning, <you> &\", \"newText\": \"morning, <you> &\"}]</edits>"},
		bash:  call{"bash", "<command>" + shell + "</command>"},
		mends: true,
	},
}

// cline has the base URL in its own configuration. It takes commands as a list. It runs alone only without
// the hub that sessions share.
var cline = agent{
	name:    "cline",
	more:    true,
	machine: "amd64",
	program: "@cline/cli-linux-x64/bin/cline",
	args:    func(task string) []string { return []string{task} },
	configure: func(t *testing.T, home, _, url string) {
		write(t, filepath.Join(home, ".cline", "data", "settings", "providers.json"), `{"version": 1, "lastUsedProvider": "anthropic", "modes": {}, "providers": {"anthropic": {
			"settings": {"provider": "anthropic", "apiKey": "none", "model": "claude-sonnet-4-5", "baseUrl": %q},
			"updatedAt": "2026-01-01T00:00:00Z", "tokenSource": "manual"}}}`, url)
	},
	env: func(string) []string { return []string{"CLINE_SESSION_BACKEND_MODE=local"} },
	tools: tools{
		read: call{"read_files", `<files>[{"path": "%s"}]</files>`},
		edit: call{"editor", "<path>%s</path>\n<old_text>mroning, <you> &</old_text>\n<new_text>morning, <you> &</new_text>"},
		bash: call{"run_commands", "<commands>[" + strconv.Quote(shell) + "]</commands>"},
	},
}

// copilot has the base URL in its own variables.
var copilot = agent{
	name:    "copilot",
	more:    true,
	machine: "amd64",
	program: "@github/copilot-linux-x64/copilot",
	args: func(task string) []string {
		return []string{"-p", task, "--allow-all-tools"}
	},
	env: func(url string) []string {
		return []string{
			"COPILOT_PROVIDER_BASE_URL=" + url, "COPILOT_PROVIDER_TYPE=anthropic", "COPILOT_PROVIDER_API_KEY=none", "COPILOT_MODEL=claude-sonnet-4-5",
		}
	},
	tools: tools{
		read: call{"view", "<path>%s</path>"},
		edit: call{"edit", "<path>%s</path>\n<old_str>mroning, <you> &</old_str>\n<new_str>morning, <you> &</new_str>"},
		bash: call{"bash", "<command>" + shell + "</command>\n<description>Copy the file</description>"},
	},
}

// qwenCode has the base URL in its own configuration. The folder pins the last release for Node.js 20,
// without the optional packages, because some of them are not available.
var qwenCode = agent{
	name:    "qwen-code",
	more:    true,
	program: ".bin/qwen",
	args: func(task string) []string {
		return []string{"-p", task, "--auth-type", "anthropic", "--model", "claude-sonnet-4-5", "--yolo"}
	},
	configure: func(t *testing.T, home, _, url string) {
		write(t, filepath.Join(home, ".qwen", "settings.json"),
			`{"modelProviders": {"anthropic": [{"id": "claude-sonnet-4-5", "envKey": "ANTHROPIC_API_KEY", "baseUrl": %q}]}}`, url)
	},
	tools: tools{
		read: call{"read_file", "<file_path>%s</file_path>"},
		edit: call{"edit", "<file_path>%s</file_path>\n<old_string>mroning, <you> &</old_string>\n<new_string>morning, <you> &</new_string>"},
		bash: call{"run_shell_command", "<command>" + shell + "</command>"},
	},
}

// write writes a file and creates its folders.
func write(t *testing.T, path, format string, args ...any) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, fmt.Appendf(nil, format, args...), 0o600); err != nil {
		t.Fatal(err)
	}
}
