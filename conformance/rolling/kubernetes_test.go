package rolling

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"
)

// TestService replaces the Pods of a Deployment one after another, as Kubernetes does, with the times in
// deploy/kubernetes. The balancer works like a Service: it sees only connections, retries none, and does not
// move open ones. So clients see every refused connection.
func TestService(t *testing.T) {
	times := readTimes(t)
	t.Logf("%+v", times)
	model := newModel(t, int(times.drainDelay/pause)+5) // so that streams outlast the delay
	var pods []*replica
	for range replicas {
		pods = append(pods, newReplica(t, model, times.drainDelay))
	}
	s := newService(t, pods, replicas)
	clients := newCrowd(t, s.address)
	await(t, fmt.Sprintf("%d streams are open", streams), func() bool { return clients.open.Load() >= streams*9/10 })

	var deleting sync.WaitGroup // a Deployment does not wait for Pods that are about to end
	defer deleting.Wait()
	// Nodes learn about removed endpoints early or late; in the last case, after the replica has had its
	// SIGTERM.
	for i, propagation := range []time.Duration{time.Second, times.preStop - time.Second, times.preStop + times.drainDelay/2} {
		added := newReplica(t, model, times.drainDelay)
		times.awaitReady(t, added)
		s.add(t, added)
		old := pods[i]
		deleting.Go(func() { // without Fatal, which only the test's own goroutine may call
			terminate := time.After(times.preStop)
			remove := time.After(propagation)
			for range 2 {
				select {
				case <-remove:
					s.remove(t, old)
				case <-terminate:
					old.terminate(t)
				}
			}
		})
		pods = append(pods, added)
	}
	deleting.Wait()
	for _, old := range pods[:replicas] {
		old.awaitExit(t)
	}
	for _, added := range pods[replicas:] {
		if added.streams() == 0 {
			t.Errorf("%s has no streams", added.listen)
		}
	}
	clients.report(t)
}

// times are the times in deploy/kubernetes.
type times struct {
	startup, readiness time.Duration // between two probes
	preStop            time.Duration
	drainDelay         time.Duration
}

func readTimes(t *testing.T) times {
	t.Helper()
	type probe struct {
		PeriodSeconds int `yaml:"periodSeconds"`
	}
	var deployment struct {
		Spec struct {
			Template struct {
				Spec struct {
					Containers []struct {
						StartupProbe   probe `yaml:"startupProbe"`
						ReadinessProbe probe `yaml:"readinessProbe"`
						Lifecycle      struct {
							PreStop struct{ Sleep struct{ Seconds int } } `yaml:"preStop"`
						}
					}
				}
			}
		}
	}
	read(t, "deployment.yaml", &deployment)
	var configMap struct{ Data map[string]string }
	read(t, "configmap.yaml", &configMap)
	config := struct {
		Timeouts struct {
			DrainDelay time.Duration `yaml:"drain_delay"`
		}
	}{}
	config.Timeouts.DrainDelay = drainDelay
	if err := yaml.Unmarshal([]byte(configMap.Data["dragoman.yaml"]), &config); err != nil {
		t.Fatal(err)
	}
	containers := deployment.Spec.Template.Spec.Containers
	if len(containers) != 1 || containers[0].ReadinessProbe.PeriodSeconds == 0 || containers[0].StartupProbe.PeriodSeconds == 0 {
		t.Fatalf("the probes of the Deployment are not found: %+v", containers)
	}
	seconds := func(n int) time.Duration { return time.Duration(n) * time.Second }
	return times{
		startup:    seconds(containers[0].StartupProbe.PeriodSeconds),
		readiness:  seconds(containers[0].ReadinessProbe.PeriodSeconds),
		preStop:    seconds(containers[0].Lifecycle.PreStop.Sleep.Seconds),
		drainDelay: config.Timeouts.DrainDelay,
	}
}

func read(t *testing.T, name string, object any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "deploy", "kubernetes", name))
	if err == nil {
		err = yaml.Unmarshal(text, object)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// awaitReady probes a new Pod like the kubelet.
func (p times) awaitReady(t *testing.T, r *replica) {
	t.Helper()
	for _, probe := range []struct {
		path   string
		period time.Duration
	}{{"/healthz", p.startup}, {"/readyz", p.readiness}} {
		for tries := 0; r.probe(probe.path) != http.StatusOK; tries++ {
			if tries == 10 {
				t.Fatalf("%s does not answer well", probe.path)
			}
			<-time.After(probe.period)
		}
	}
}

// service is HAProxy without checks, which learns at run time where to send connections.
type service struct {
	address, control string

	mu    sync.Mutex
	slots []string // the replica's address in each slot, "" for none
}

// newService returns a service with these endpoints, and room for more.
func newService(t *testing.T, pods []*replica, room int) *service {
	s := &service{address: freeAddress(t), control: filepath.Join(t.TempDir(), "control")}
	config := fmt.Sprintf(`
global
    stats socket %s level admin
defaults
    mode tcp
    retries 0
    timeout connect 2s
    timeout client 10m
    timeout server 10m
listen service
    bind %s
    balance random
`, s.control, s.address)
	for i, pod := range pods {
		s.slots = append(s.slots, pod.listen)
		config += fmt.Sprintf("    server slot%d %s\n", i, pod.listen)
	}
	for range room {
		config += fmt.Sprintf("    server slot%d 127.0.0.1:1 disabled\n", len(s.slots))
		s.slots = append(s.slots, "")
	}
	runHAProxy(t, s.address, config)
	return s
}

// add makes the service send new connections to a replica.
func (s *service) add(t *testing.T, r *replica) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, taken := range s.slots {
		if taken == "" {
			s.slots[i] = r.listen
			host, port, _ := net.SplitHostPort(r.listen) // a valid address
			s.tell(t, fmt.Sprintf("set server service/slot%d addr %s port %s", i, host, port))
			s.tell(t, fmt.Sprintf("set server service/slot%d state ready", i))
			return
		}
	}
	t.Error("the service has no room")
}

// remove makes the service send no new connections to a replica.
func (s *service) remove(t *testing.T, r *replica) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, taken := range s.slots {
		if taken == r.listen {
			s.tell(t, fmt.Sprintf("set server service/slot%d state maint", i))
		}
	}
}

// tell gives HAProxy a command. HAProxy answers with a line if the command failed or changed an address.
func (s *service) tell(t *testing.T, command string) {
	t.Helper()
	conn, err := net.Dial("unix", s.control)
	if err != nil {
		t.Error(err)
		return
	}
	defer conn.Close()
	fmt.Fprintln(conn, command)
	answer, err := bufio.NewReader(conn).ReadString('\n')
	if answer = strings.TrimSpace(answer); err != nil || answer != "" && !strings.Contains(answer, "changed from") {
		t.Errorf("%s: %q, %v", command, answer, err)
	}
}
