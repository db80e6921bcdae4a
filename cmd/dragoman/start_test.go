package main

import (
	"bufio"
	"bytes"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
)

// TestLinked holds that the linker may leave out what is not used: text/template looks methods up by
// name, and with it in the program every method of every type stays, 3.7 MB of them.
func TestLinked(t *testing.T) {
	list, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	if slices.Contains(strings.Fields(string(list)), "text/template") {
		t.Error("the program imports text/template")
	}
}

// BenchmarkStart is from the start of the program, linked as in a release, to the first connection
// that it takes. It reports how long the program is, and how much of the memory it has then is resident.
func BenchmarkStart(b *testing.B) {
	program := filepath.Join(b.TempDir(), "dragoman")
	flags, err := os.ReadFile("build.flags")
	if err != nil {
		b.Fatal(err)
	}
	args := append([]string{"build", "-trimpath", "-ldflags", "-s -w", "-o", program}, strings.Fields(string(flags))...)
	build := exec.Command("go", append(args, ".")...)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if output, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, output)
	}
	info, err := os.Stat(program)
	if err != nil {
		b.Fatal(err)
	}
	resident := 0
	for b.Loop() {
		resident += startOnce(b, program)
	}
	b.ReportMetric(float64(info.Size()), "B-program")
	b.ReportMetric(float64(resident)/float64(b.N), "KiB-resident")
}

// startOnce starts the program, connects to it, ends it, and returns how many KiB were resident, 0
// where that is not known.
func startOnce(b *testing.B, program string) (resident int) {
	cmd := exec.Command(program, "serve", "--simulated", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	defer cmd.Wait() //nolint:errcheck // it is killed
	defer cmd.Process.Kill()
	line, err := bufio.NewReader(stderr).ReadBytes('\n')
	var serving struct {
		URL string `json:"url"`
	}
	if err != nil || json.Unmarshal(line, &serving) != nil {
		b.Fatalf("%v %s", err, line)
	}
	conn, err := net.DialTimeout("tcp", strings.TrimPrefix(serving.URL, "http://"), 10*time.Second)
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	b.StopTimer()
	defer b.StartTimer()
	status, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(cmd.Process.Pid), "status"))
	if _, rest, ok := bytes.Cut(status, []byte("VmRSS:")); ok {
		resident, _ = strconv.Atoi(strings.Fields(string(rest))[0])
	}
	return resident
}
