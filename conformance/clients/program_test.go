package clients

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"dragoman/conformance/install"
)

// command is a client program with the environment of a user who has set nothing.
func command(folder, name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = folder
	cmd.Env = install.Environment()
	return cmd
}

// goProgram is the program of a module.
func goProgram(module string, args ...string) func(*testing.T) *exec.Cmd {
	return func(t *testing.T) *exec.Cmd { return goBuild(t, module, nil, args...) }
}

// anthropicGo1 is the program of anthropic-go with release 1 of the library: only the import paths differ. It also
// sends sampling parameters, which release 2 does not have.
func anthropicGo1(api string) func(*testing.T) *exec.Cmd {
	return func(t *testing.T) *exec.Cmd {
		const module = "anthropic-go"
		sources, err := filepath.Glob(filepath.Join("..", module, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		folder, replaced := t.TempDir(), map[string]string{}
		for _, source := range sources {
			code, err := os.ReadFile(source)
			if err != nil {
				t.Fatal(err)
			}
			older := filepath.Join(folder, filepath.Base(source))
			if err := os.WriteFile(older, bytes.ReplaceAll(code, []byte("/anthropic-sdk-go/v2"), []byte("/anthropic-sdk-go")), 0o600); err != nil {
				t.Fatal(err)
			}
			replaced[filepath.Base(source)] = older
		}
		overlay, err := json.Marshal(map[string]any{"Replace": replaced})
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(folder, "overlay.json")
		if err := os.WriteFile(file, overlay, 0o600); err != nil {
			t.Fatal(err)
		}
		return goBuild(t, module, []string{"-overlay", file}, api, "sampling")
	}
}

// goBuild builds the program of a module with these flags.
func goBuild(t *testing.T, module string, flags []string, args ...string) *exec.Cmd {
	t.Helper()
	binary := filepath.Join(t.TempDir(), module)
	build := append([]string{"build", "-buildvcs=false", "-o", binary}, flags...)
	install.Run(t, filepath.Join("..", module), "go", append(build, ".")...)
	return command(".", binary, args...)
}

// pythonProgram is client.py of a folder, with the requirements of a file there, and program.py.
func pythonProgram(folder, requirements string, args ...string) func(*testing.T) *exec.Cmd {
	return func(t *testing.T) *exec.Cmd {
		folder := filepath.Join("..", folder)
		python := install.Python(t, filepath.Join(folder, requirements))
		cmd := command(folder, python, append([]string{"client.py"}, args...)...)
		cmd.Env = append(cmd.Env, "PYTHONPATH=..", "PYTHONDONTWRITEBYTECODE=1")
		return cmd
	}
}

// nodeProgram is client.mjs of a folder, with the packages that a folder pins.
func nodeProgram(folder, pins string, args ...string) func(*testing.T) *exec.Cmd {
	return func(t *testing.T) *exec.Cmd {
		return command(nodeFolder(t, folder, pins, "client.mjs"), "node", append([]string{"client.mjs"}, args...)...)
	}
}

// nodeFolder returns a new folder with a program of a folder, beside the packages that a folder pins.
func nodeFolder(t *testing.T, folder, pins, program string) string {
	packages, beside := install.Node(t, filepath.Join("..", pins)), t.TempDir()
	install.Copy(t, beside, filepath.Join("..", folder, program))
	if err := os.Symlink(filepath.Join(packages, "node_modules"), filepath.Join(beside, "node_modules")); err != nil {
		t.Fatal(err)
	}
	return beside
}

// javaProgram is the program of the .java files in a folder, with Program.java and the packages that the
// folder's pom.xml pins.
func javaProgram(folder string, args ...string) func(*testing.T) *exec.Cmd {
	return func(t *testing.T) *exec.Cmd {
		folder := filepath.Join("..", folder)
		sources, err := filepath.Glob(filepath.Join(folder, "*.java"))
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, filepath.Join("..", "Program.java"))
		classes := install.Java(t, filepath.Join(folder, "pom.xml"), sources...)
		path := strings.Join([]string{"*", "."}, string(os.PathListSeparator))
		return command(classes, "java", append([]string{"-cp", path, "Client"}, args...)...)
	}
}

// rustProgram is a member of the workspace of the clients in Rust.
func rustProgram(member string, args ...string) func(*testing.T) *exec.Cmd {
	return func(t *testing.T) *exec.Cmd {
		return command(".", install.Rust(t, filepath.Join("..", "rust"), member), args...)
	}
}
