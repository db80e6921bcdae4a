package agents

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"dragoman/conformance"
)

// alone is set in the environment of a test that runs in its own network namespace.
const alone = "DRAGOMAN_ALONE"

// testTime limits one test in a namespace.
const testTime = 2 * time.Minute

// withoutNetwork runs the test in a network namespace with only loopback: it starts this program again for
// this test. If the kernel does not allow that, the test is skipped.
func withoutNetwork(t *testing.T, test func()) {
	t.Helper()
	if os.Getenv(alone) != "" {
		test()
		return
	}
	ctx, cancel := context.WithTimeout(t.Context(), testTime)
	defer cancel()
	only := "^" + strings.ReplaceAll(regexp.QuoteMeta(t.Name()), "/", "$/^") + "$"
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.v", "-test.run", only, "-more")
	cmd.Env = append(os.Environ(), alone+"=1", "DRAGOMAN_BIN="+conformance.Binary())
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
		Setpgid:     true, // the test's child processes end with it
	}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	var output strings.Builder
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Start(); refused(err) {
		t.Skip("the kernel refuses a network namespace:", err)
	} else if err != nil {
		t.Fatal(err)
	}
	err := cmd.Wait()
	t.Log(output.String())
	if err != nil {
		t.Error(err)
	} else if !strings.Contains(output.String(), "--- PASS: "+t.Name()) {
		t.Error("the test was not run")
	}
}

// refused reports whether the kernel did not allow a new namespace.
func refused(err error) bool {
	return slices.ContainsFunc([]error{syscall.EPERM, syscall.EACCES, syscall.ENOSPC, syscall.EINVAL}, func(e error) bool {
		return errors.Is(err, e)
	})
}

// raiseLoopback turns on the loopback interface, which is off in a new namespace.
func raiseLoopback() error {
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(socket)
	lo, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	if err := unix.IoctlIfreq(socket, unix.SIOCGIFFLAGS, lo); err != nil {
		return err
	}
	lo.SetUint16(lo.Uint16() | unix.IFF_UP)
	return unix.IoctlIfreq(socket, unix.SIOCSIFFLAGS, lo)
}
