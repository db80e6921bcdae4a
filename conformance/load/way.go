package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// way is one way from the load to the fake upstream.
type way struct {
	name    string
	api     string   // of the client
	raw     bool     // passes on what the model wrote
	path    string   // of a request; "" for that of the API
	headers []string // {upstream} is replaced by its URL

	// program returns the command that listens on an address, in front of the upstream. It may write
	// files into the folder. Without it there is nothing between load and upstream.
	program  func(folder, address, upstream string) (argv, env []string, err error)
	patience time.Duration // with its start; 0 for 10 s
}

func direct(api string) way { return way{name: "direct", api: api, raw: true} }

// rproxy is this program in its other role.
func rproxy(api string) way {
	return way{name: "ReverseProxy", api: api, raw: true, program: func(_, address, upstream string) ([]string, []string, error) {
		self, err := os.Executable()
		return []string{self, "rproxy", "-listen", address, "-upstream", upstream}, nil, err
	}}
}

// nginxProgram is where Debian has it, which is in no user's path.
const nginxProgram = "/usr/sbin/nginx"

const nginxConfig = `daemon off; master_process off; pid FOLDER/nginx.pid; error_log stderr crit;
worker_rlimit_nofile 20000;
events { worker_connections 18000; }
http {
	access_log off; client_max_body_size 64m; client_body_buffer_size 1m; keepalive_requests 1000000;
	client_body_temp_path FOLDER/body; proxy_temp_path FOLDER/proxy; fastcgi_temp_path FOLDER/f; uwsgi_temp_path FOLDER/u; scgi_temp_path FOLDER/s;
	upstream model { server UPSTREAM; keepalive 4096; keepalive_requests 1000000; }
	server {
		listen ADDRESS backlog=4096;
		location / {
			proxy_pass http://model; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_set_header Host $host;
			proxy_buffering off; proxy_request_buffering off; proxy_read_timeout 600s;
		}
	}
}
`

// nginx passes on as ReverseProxy does.
func nginx(api string) way {
	return way{name: "nginx", api: api, raw: true, program: func(folder, address, upstream string) ([]string, []string, error) {
		folder = filepath.Join(folder, "nginx")
		config := filepath.Join(folder, "nginx.conf")
		text := strings.NewReplacer("FOLDER", folder, "ADDRESS", address, "UPSTREAM", strings.TrimPrefix(upstream, "http://")).Replace(nginxConfig)
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return nil, nil, err
		}
		return []string{nginxProgram, "-p", folder, "-c", config}, nil, os.WriteFile(config, []byte(text), 0o600)
	}}
}

// What Dragoman's configuration says of the upstream.
const (
	messagesUpstream = `{kind: anthropic, base_url: "%s", api_key: none}`
	bedrockUpstream  = `{kind: bedrock, region: us-east-1, endpoint: "%s"}`
)

// dragoman is a program of ours before one of the upstreams above. More are lines of its configuration. Values come as
// the model writes them, so that the lag of a delta shows.
func dragoman(name, binary, api, upstreamIs string, more ...string) way {
	return way{name: name, api: api, program: func(folder, address, upstream string) ([]string, []string, error) {
		config := filepath.Join(folder, "dragoman.yaml")
		text := fmt.Sprintf("listen: %s\nadmin_listen: 127.0.0.1:0\nupstreams:\n  model: %s\nmodels:\n  - {name: \"*\", upstream: model, model: \"anthropic.claude-v2:1\", stream_values: flow}\n",
			address, fmt.Sprintf(upstreamIs, upstream)) + strings.Join(more, "\n") + "\n"
		env := []string{"AWS_ACCESS_KEY_ID=AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY=secret", "AWS_EC2_METADATA_DISABLED=true",
			"AWS_CONFIG_FILE=" + os.DevNull, "AWS_SHARED_CREDENTIALS_FILE=" + os.DevNull}
		return []string{binary, "serve", "--config", config}, env, os.WriteFile(config, []byte(text), 0o600)
	}}
}

// requestPath is where a request of the way goes.
func (w way) requestPath(stream bool) string {
	switch {
	case w.path != "":
		return w.path
	case w.api == chatAPI:
		return "/v1/chat/completions"
	case w.api == invokeAPI && stream:
		return "/model/anthropic.claude-v2%3A1/invoke-with-response-stream"
	case w.api == invokeAPI:
		return "/model/anthropic.claude-v2%3A1/invoke"
	}
	return "/v1/messages"
}

// passing are the ways that translate nothing: what Dragoman is compared with.
func passing(api string) []way {
	list := []way{direct(api), rproxy(api)}
	if _, err := os.Stat(nginxProgram); err != nil {
		fmt.Fprintf(os.Stderr, "load: nginx is left out: there is no %s (Debian's package nginx-light has it)\n", nginxProgram)
		return list
	}
	return append(list, nginx(api))
}
