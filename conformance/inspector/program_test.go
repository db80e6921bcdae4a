package inspector

import (
	"bufio"
	"io"
	"net/http"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/chromedp/chromedp"

	"dragoman/conformance"
)

// The lines of the log with the program's URLs.
var (
	pageLine = regexp.MustCompile(`^Inspector: (http://\S+)`)
	baseLine = regexp.MustCompile(`ANTHROPIC_BASE_URL=(http://[0-9.:]+)`)
)

// startProgram starts `dragoman serve --simulated --inspect` and returns the URLs of the page and for
// clients. It uses the binary in DRAGOMAN_BIN, or builds one. The program ends with the test.
func startProgram(t *testing.T) (page, base string) {
	t.Helper()
	binary, err := conformance.Build(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(binary, "serve", "--simulated", "--inspect", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0")
	cmd.Env = []string{"GORACE=atexit_sleep_ms=0"}
	out, w := io.Pipe()
	cmd.Stdout, cmd.Stderr = w, w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	exit := make(chan error, 1)
	go func() {
		exit <- cmd.Wait()
		_ = w.Close()
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		if err := <-exit; err != nil {
			t.Errorf("dragoman serve ended with %v", err)
		}
	})
	lines := bufio.NewScanner(out)
	for (page == "" || base == "") && lines.Scan() {
		if m := pageLine.FindStringSubmatch(lines.Text()); m != nil {
			page = m[1]
		} else if m := baseLine.FindStringSubmatch(lines.Text()); m != nil {
			base = m[1]
		}
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	if page == "" || base == "" {
		t.Fatalf("the program says neither where its page is nor where it listens: %q, %q", page, base)
	}
	return page, base
}

// The program shows an exchange while it runs, and links to the playground.
func TestProgram(t *testing.T) {
	page, base := startProgram(t)
	p := open(t, page, 1300, 800)
	p.live()
	res, err := http.Post(base+"/v1/messages", "application/json", strings.NewReader(question))
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.Copy(io.Discard, res.Body)
	if res.Body.Close(); err != nil || res.StatusCode != http.StatusOK {
		t.Fatal(res.Status, err)
	}
	p.await(`document.querySelectorAll('#rows .row').length === 1`)
	p.do(chromedp.Navigate(p.text(`document.querySelector('nav a[href="playground/"]').href`))) // the tab has the token
	p.await(`document.querySelectorAll('#prompt .section').length > 1 && document.querySelector('#where')?.textContent.startsWith('Step 1 of')`)
	p.quiet()
}
