package rolling

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// program returns the path of a balancer. If it is not installed, the test fails in CI and is skipped
// elsewhere.
func program(t *testing.T, name, debian string) string {
	t.Helper()
	// On Debian, only root has the folders of these programs in PATH.
	for _, folder := range append(filepath.SplitList(os.Getenv("PATH")), "/usr/sbin", "/usr/local/sbin") {
		path := filepath.Join(folder, name)
		if info, err := os.Stat(path); err == nil && info.Mode()&0o111 != 0 {
			return path
		}
	}
	if os.Getenv("CI") == "true" {
		t.Fatalf("%s is not installed: apt-get install %s", name, debian)
	}
	t.Skipf("%s is not installed: apt-get install %s", name, debian)
	return ""
}

// startNginx runs nginx with the file for users, in front of the replicas, and returns its address.
func startNginx(t *testing.T, all []*replica) string {
	nginx := program(t, "nginx", "nginx-light")
	address, folder := freeAddress(t), t.TempDir()
	site := configFile(t, "nginx.conf", "listen 80;", "listen "+address+";")
	for i, r := range all {
		site = substitute(t, site, fmt.Sprintf("192.0.2.1%d:8484", i+1), r.listen)
	}
	write(t, filepath.Join(folder, "site.conf"), site)
	// The parts of Debian's nginx.conf around the file, with paths in the test's own folder.
	around := "daemon off; pid nginx.pid; error_log stderr error; events { worker_connections 4096; }\nhttp { access_log off;\n"
	for _, kind := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		around += kind + "_temp_path " + kind + ";\n"
	}
	if os.Geteuid() == 0 {
		around = "user root; " + around // the folder belongs to root
	}
	write(t, filepath.Join(folder, "nginx.conf"), around+"include site.conf; }\n")
	runBalancer(t, address, exec.Command(nginx, "-p", folder, "-e", "stderr", "-c", "nginx.conf"))
	return address
}

// startHAProxy is startNginx for HAProxy.
func startHAProxy(t *testing.T, all []*replica) string {
	address := freeAddress(t)
	config := configFile(t, "haproxy.cfg", "bind :80 ", "bind "+address+" ")
	config = substitute(t, config, "check port 8485", "check")
	for i, r := range all {
		_, port, _ := net.SplitHostPort(r.admin) // a valid address
		config = substitute(t, config, fmt.Sprintf("192.0.2.1%d:8484", i+1), r.listen+" port "+port)
	}
	runHAProxy(t, address, config)
	return address
}

// runHAProxy runs HAProxy with a configuration that listens on the address.
func runHAProxy(t *testing.T, address, config string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "haproxy.cfg")
	write(t, path, config)
	runBalancer(t, address, exec.Command(program(t, "haproxy", "haproxy"), "-db", "-f", path))
}

// runBalancer runs a balancer until the test ends, and returns when it listens on the address.
func runBalancer(t *testing.T, address string, cmd *exec.Cmd) {
	t.Helper()
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	exit := make(chan struct{})
	go func() {
		_ = cmd.Wait() // the error only reports the signal
		close(exit)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		<-exit
		if output.Len() > 0 {
			t.Logf("%s:\n%s", filepath.Base(cmd.Path), output.Bytes())
		}
	})
	await(t, cmd.Path+" listens", func() bool {
		select {
		case <-exit:
			t.Fatalf("%s ended", cmd.Path)
		default:
		}
		conn, err := net.Dial("tcp", address)
		if err != nil {
			return false
		}
		return conn.Close() == nil
	})
}

// configFile returns a file of deploy/balancers with one text replaced.
func configFile(t *testing.T, name, from, to string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "deploy", "balancers", name))
	if err != nil {
		t.Fatal(err)
	}
	return substitute(t, string(text), from, to)
}

// substitute replaces a text, which must be there exactly once.
func substitute(t *testing.T, text, from, to string) string {
	t.Helper()
	if strings.Count(text, from) != 1 {
		t.Fatalf("%q is not there once:\n%s", from, text)
	}
	return strings.Replace(text, from, to, 1)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
