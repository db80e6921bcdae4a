package readme

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// pythonPackages returns a virtual environment with what requirements.txt pins.
func pythonPackages(t *testing.T) string {
	t.Helper()
	need(t, "python3")
	pins := read(t, "requirements.txt")
	interpreter := run(t, ".", "python3", "-c", "import sys; print(sys.version, sys.executable)")
	return cached(t, "python", pins+interpreter, func(folder string) {
		write(t, folder, "requirements.txt", pins)
		run(t, folder, "python3", "-m", "venv", ".")
		run(t, folder, filepath.Join(folder, "bin", "python"), "-m", "pip", "install", "--requirement", "requirements.txt")
	})
}

// nodePackages returns a folder whose node_modules has what package-lock.json pins.
func nodePackages(t *testing.T) string {
	t.Helper()
	need(t, "node")
	need(t, "npm")
	key := read(t, "package.json") + read(t, "package-lock.json") + run(t, ".", "node", "--version") + runtime.GOOS + runtime.GOARCH
	return cached(t, "node", key, func(folder string) {
		copyFiles(t, folder, "package.json", "package-lock.json")
		run(t, folder, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	})
}

// cached returns the folder that fill made for the key, in the user's cache. It appears there whole
// or not at all.
func cached(t *testing.T, name, key string, fill func(folder string)) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	cache = filepath.Join(cache, "dragoman-readme")
	made := filepath.Join(cache, fmt.Sprintf("%s-%.8x", name, sha256.Sum256([]byte(key))))
	if exists(made) {
		return made
	}

	if err := os.MkdirAll(cache, 0o700); err != nil {
		t.Fatal(err)
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

func write(t *testing.T, folder, name, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// copyFiles copies files into a folder, under their last names.
func copyFiles(t *testing.T, folder string, paths ...string) {
	t.Helper()
	for _, path := range paths {
		write(t, folder, filepath.Base(path), read(t, path))
	}
}
