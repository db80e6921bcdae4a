package main

import (
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// peerLoads are what the peers are asked.
func peerLoads() []workload {
	stream := atRest(true)[1]
	stream.name = "71 KB, stream"
	list := append(atRest(false)[:2], stream)
	for i := range list {
		list[i].rounds, list[i].lasts = 2, 1500*time.Millisecond
	}
	return list
}

// peers are gateways that can be fetched from a registry. They translate between two APIs, and leave
// the call that the model writes as the text that it is.
func peers() ([]way, error) {
	python, err := fetched("python", []string{"requirements.txt"}, [][]string{
		{"python3", "-m", "venv", "."}, {filepath.Join("bin", "python"), "-m", "pip", "install", "--quiet", "--requirement", "requirements.txt"}})
	if err != nil {
		return nil, err
	}
	node, err := fetched("node", []string{"package.json", "package-lock.json"}, [][]string{{"npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"}})
	if err != nil {
		return nil, err
	}
	return []way{liteLLM(python), codeRouter(node), portkey(node)}, nil
}

const liteLLMConfig = `model_list:
  - model_name: bench
    litellm_params: {model: openai/bench, api_base: "%s/v1", api_key: none}
litellm_settings: {telemetry: false, use_chat_completions_url_for_anthropic_messages: true}
`

// liteLLM takes the Messages API, and asks a model of chat completions.
func liteLLM(folder string) way {
	w := way{name: "LiteLLM " + pinned("requirements.txt", "litellm=="), api: messagesAPI, raw: true, patience: 90 * time.Second}
	w.program = func(temporary, address, upstream string) ([]string, []string, error) {
		host, port, _ := strings.Cut(address, ":")
		config := filepath.Join(temporary, "litellm.yaml")
		env := []string{"LITELLM_LOCAL_MODEL_COST_MAP=True", "LITELLM_DANGEROUSLY_PERMIT_WEAK_OR_UNSET_MASTER_KEY=true", "LITELLM_LOG=ERROR"}
		return []string{filepath.Join(folder, "bin", "litellm"), "--config", config, "--host", host, "--port", port}, env,
			os.WriteFile(config, fmt.Appendf(nil, liteLLMConfig, upstream), 0o600)
	}
	return w
}

const codeRouterConfig = `{"LOG": false, "HOST": "%s", "PORT": %s, "NON_INTERACTIVE_MODE": true,
"Providers": [{"name": "model", "api_base_url": "%s/v1/chat/completions", "api_key": "none", "models": ["bench"]}],
"Router": {"default": "model,bench"}}`

// codeRouter is claude-code-router: as LiteLLM. Its configuration is in the user's home.
func codeRouter(folder string) way {
	w := way{name: "claude-code-router " + pinned("package.json", `claude-code-router": "`), api: messagesAPI, raw: true}
	w.program = func(temporary, address, upstream string) ([]string, []string, error) {
		host, port, _ := strings.Cut(address, ":")
		home := filepath.Join(temporary, ".claude-code-router")
		if err := os.MkdirAll(home, 0o700); err != nil {
			return nil, nil, err
		}
		return []string{"node", filepath.Join(folder, "node_modules", "@musistudio", "claude-code-router", "dist", "cli.js"), "start"}, []string{"HOME=" + temporary},
			os.WriteFile(filepath.Join(home, "config.json"), fmt.Appendf(nil, codeRouterConfig, host, port, upstream), 0o600)
	}
	return w
}

// portkey takes chat completions, and asks a model of the Messages API.
func portkey(folder string) way {
	w := way{name: "Portkey " + pinned("package.json", `@portkey-ai/gateway": "`), api: chatAPI, raw: true,
		headers: []string{"x-portkey-provider: anthropic", "x-portkey-custom-host: {upstream}/v1", "Authorization: Bearer none"}}
	w.program = func(_, address, _ string) ([]string, []string, error) {
		_, port, _ := strings.Cut(address, ":")
		return []string{"node", filepath.Join(folder, "node_modules", "@portkey-ai", "gateway", "build", "start-server.js"), "--port=" + port, "--headless"},
			[]string{"NODE_ENV=production"}, nil
	}
	return w
}

// pinned is the version behind these words in a file of the peers'.
func pinned(file, words string) string {
	text, _ := os.ReadFile(filepath.Join("peers", file)) // it was read before
	_, after, _ := strings.Cut(string(text), words)
	version, _, _ := strings.Cut(after, "\n")
	return strings.TrimRight(version, `",`)
}

// fetched returns a folder in the user's cache with what the files pin, after running the commands in
// it. It is there whole or not at all.
func fetched(name string, files []string, commands [][]string) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	pins := map[string][]byte{}
	for _, file := range files {
		if pins[file], err = os.ReadFile(filepath.Join("peers", file)); err != nil {
			return "", err
		}
		sum.Write(pins[file])
	}
	folder := filepath.Join(cache, "dragoman-conformance", fmt.Sprintf("peers-%s-%.8x", name, sum.Sum(nil)))
	whole := filepath.Join(folder, "whole")
	if _, err := os.Stat(whole); err == nil {
		return folder, nil
	}
	if err := errors.Join(os.RemoveAll(folder), os.MkdirAll(folder, 0o700)); err != nil { // what an end halfway has left
		return "", err
	}
	for file, text := range pins {
		if err := os.WriteFile(filepath.Join(folder, file), text, 0o600); err != nil {
			return "", err
		}
	}
	for _, argv := range commands {
		fmt.Fprintln(os.Stderr, strings.Join(argv, " "))
		cmd := exec.Command(argv[0], argv[1:]...)
		if strings.Contains(argv[0], "/") {
			cmd.Path = filepath.Join(folder, argv[0])
		}
		cmd.Dir = folder
		if output, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("%s: %w: %s", cmd, err, output)
		}
	}
	return folder, os.WriteFile(whole, nil, 0o600)
}

var peerColumns = []column{
	figure("p50, µs", "%.0f", p50),
	figure("p99", "%.0f", func(r *result) float64 { return r.latency.P99 }),
	figure("first delta p50", "%.0f", firstP50),
	ofProgram("CPU of 1,000 requests, ms", "%.0f", func(_ measured, t *target) float64 { return t.median((*result).cpuRequest) }),
	ofProgram("× Dragoman", "%.1f", func(m measured, t *target) float64 {
		return t.median((*result).cpuRequest) / m.find("Dragoman").median((*result).cpuRequest)
	}),
	peakColumn,
	ofProgram("ready after, ms", "%.0f", func(_ measured, t *target) float64 { return t.child.ready.Seconds() * 1e3 }),
}

// peersCommand measures Dragoman beside other gateways.
func peersCommand(args []string) error {
	flags := flag.NewFlagSet("peers", flag.ExitOnError)
	program := flags.String("program", "", "`file` of a dragoman; without it this checkout's is built")
	update := flags.Bool("update", false, "write the page")
	_ = flags.Parse(args) // it exits
	ways, err := peers()
	if err != nil {
		return err
	}
	b, err := newBench(*program)
	if err != nil {
		return err
	}
	defer b.close()
	ways = append([]way{dragoman("Dragoman", b.program, messagesAPI, messagesUpstream), rproxy(messagesAPI)}, ways...)
	var results []measured
	var wrong error
	for _, load := range peerLoads() {
		if load.shape.Stream { // Portkey answers such a one with 500 under Node.js 20
			ways = ways[:len(ways)-1]
		}
		targets, err := b.measure(load, ways)
		wrong = errors.Join(wrong, err)
		results = append(results, measured{load, targets})
		fmt.Fprintln(os.Stderr, load.name)
	}
	text := measuredOn("Python "+firstLine("python3", "-c", "import platform; print(platform.python_version())"), "Node.js "+firstLine("node", "--version")) +
		table(results, peerColumns)
	fmt.Print(text)
	if *update {
		return errors.Join(wrong, writeBlock("peers", text))
	}
	return wrong
}
