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

// alone is set in the environment of a test that runs in a network namespace of its own.
const alone = "DRAGOMAN_ALONE"

// testTime is for one test there.
const testTime = 2 * time.Minute

// withoutNetwork has the test done in a network namespace that has loopback alone: this program runs
// once more there, with this test and no other. The test is skipped where the kernel refuses that.
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
		Setpgid:     true, // what the test started ends with it
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

// refused reports whether a process could not have namespaces of its own.
func refused(err error) bool {
	return slices.ContainsFunc([]error{syscall.EPERM, syscall.EACCES, syscall.ENOSPC, syscall.EINVAL}, func(e error) bool {
		return errors.Is(err, e)
	})
}

// raiseLoopback takes the loopback interface up, which is down in a new namespace.
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
