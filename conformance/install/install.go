// Package install fetches the pinned packages of the client programs into the user's cache, and runs commands
// with them. It does not change the machine's own packages.
package install

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// commandTime limits a command, which may fetch packages.
const commandTime = 10 * time.Minute

// Python returns a Python with the packages of a requirements.txt, installed with these options of pip.
func Python(t *testing.T, requirements string, options ...string) string {
	t.Helper()
	Need(t, "python3")
	interpreter := Run(t, ".", "python3", "-c", "import sys; print(sys.version, sys.executable)")
	folder := cached(t, "python", read(t, requirements)+interpreter, func(folder string) {
		Copy(t, folder, requirements)
		Run(t, folder, "python3", "-m", "venv", ".")
		Run(t, folder, filepath.Join(folder, "bin", "python"), append([]string{"-m", "pip", "install", "--requirement", filepath.Base(requirements)}, options...)...)
	})
	return filepath.Join(folder, "bin", "python")
}

// Node returns a folder with a node_modules, for the package-lock.json in another folder.
func Node(t *testing.T, pins string) string {
	t.Helper()
	Need(t, "node")
	Need(t, "npm")
	files := []string{filepath.Join(pins, "package.json"), filepath.Join(pins, "package-lock.json")}
	key := read(t, files[0]) + read(t, files[1]) + Run(t, ".", "node", "--version") + runtime.GOOS + runtime.GOARCH
	return cached(t, "node", key, func(folder string) {
		Copy(t, folder, files...)
		Run(t, folder, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	})
}

// Java returns a folder with the .class files of .java files, and all .jar files that a pom.xml pins.
func Java(t *testing.T, pom string, sources ...string) string {
	t.Helper()
	Need(t, "javac")
	Need(t, "mvn")
	key := read(t, pom) + Run(t, ".", "javac", "-version")
	compile := []string{"-cp", "*"}
	for _, source := range sources {
		key += read(t, source)
		compile = append(compile, filepath.Base(source))
	}
	return cached(t, "java", key, func(folder string) {
		Copy(t, folder, append(sources, pom)...)
		Run(t, folder, "mvn", "--batch-mode", "--quiet", "dependency:copy-dependencies", "-DoutputDirectory=.")
		Run(t, folder, "javac", compile...)
	})
}

// Rust returns the program of a member of a workspace, built with the packages in the workspace's Cargo.lock.
// The build is kept for the next run and for the other members. cargo runs one build at a time.
func Rust(t *testing.T, workspace, member string) string {
	t.Helper()
	Need(t, "cargo")
	root := t.TempDir()
	Run(t, filepath.Join(workspace, member), "cargo", "install", "--path=.", "--locked", "--debug", "--no-track",
		"--root="+root, "--target-dir="+filepath.Join(cacheFolder(t), "rust"))
	return filepath.Join(root, "bin", member+"-client")
}

// Need skips a test if its interpreter is missing. With CI=true, the test fails instead, because CI has all
// interpreters.
func Need(t *testing.T, program string) {
	t.Helper()
	_, err := exec.LookPath(program)
	switch {
	case err == nil:
	case os.Getenv("CI") == "true":
		t.Fatal(err)
	default:
		t.Skip(err)
	}
}

// Run runs a command in a folder and returns its output. If the command fails, the test ends.
func Run(t *testing.T, folder, name string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), commandTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = folder
	cmd.Env = Environment()
	// The command's child processes end with it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	output, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, output)
	}
	return string(output)
}

// Environment is the test's environment without the variables that the libraries read, and without a proxy
// between a program and its server. It also keeps the AWS SDK from looking for credentials in the user's
// files or on the cloud machine.
func Environment() []string {
	env := slices.DeleteFunc(os.Environ(), func(variable string) bool {
		return strings.HasPrefix(variable, "ANTHROPIC_") || strings.HasPrefix(variable, "AWS_") || strings.HasPrefix(variable, "OPENAI_")
	})
	env = append(env, "AWS_EC2_METADATA_DISABLED=true", "AWS_CONFIG_FILE="+os.DevNull, "AWS_SHARED_CREDENTIALS_FILE="+os.DevNull)
	for _, name := range []string{"NO_PROXY", "no_proxy"} {
		env = append(env, name+"=127.0.0.1,"+os.Getenv(name))
	}
	return env
}

// cached returns the folder that fill created for the key, in the user's cache. The folder appears there
// completely or not at all.
func cached(t *testing.T, name, key string, fill func(folder string)) string {
	t.Helper()
	cache := cacheFolder(t)
	made := filepath.Join(cache, fmt.Sprintf("%s-%.8x", name, sha256.Sum256([]byte(key))))
	if exists(made) {
		return made
	}

	folder, err := os.MkdirTemp(cache, name)
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(folder)
	fill(folder)
	if err := os.Rename(folder, made); err != nil && !exists(made) { // another run may have been faster
		t.Fatal(err)
	}
	return made
}

// cacheFolder is this project's folder in the user's cache.
func cacheFolder(t *testing.T) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	cache = filepath.Join(cache, "dragoman-conformance")
	if err := os.MkdirAll(cache, 0o700); err != nil {
		t.Fatal(err)
	}
	return cache
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// Copy copies files into a folder, under their base names.
func Copy(t *testing.T, folder string, paths ...string) {
	t.Helper()
	for _, path := range paths {
		if err := os.WriteFile(filepath.Join(folder, filepath.Base(path)), []byte(read(t, path)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
