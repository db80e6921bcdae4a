package rolling

import (
	"fmt"
	"net/http"
	"testing"
	"time"
)

// TestBalancers stops the replicas one after another with SIGTERM and starts each again, behind each balancer
// with its file in deploy/balancers.
func TestBalancers(t *testing.T) {
	for _, balancer := range []struct {
		name  string
		start func(*testing.T, []*replica) string
	}{{"nginx", startNginx}, {"HAProxy", startHAProxy}} {
		t.Run(balancer.name, func(t *testing.T) {
			model := newModel(t, 30)
			var all []*replica
			for range replicas {
				all = append(all, newReplica(t, model, drainDelay))
			}
			clients := newCrowd(t, balancer.start(t, all))
			await(t, fmt.Sprintf("%d streams are open", streams), func() bool { return clients.open.Load() >= streams*9/10 })
			for _, r := range all {
				await(t, r.listen+" has its share of the streams", func() bool { return r.streams() >= streams/replicas/2 })
				open := r.streams()
				r.terminate(t)
				await(t, r.admin+" is not ready", func() bool { return r.probe("/readyz") == http.StatusServiceUnavailable })
				r.awaitExit(t)
				t.Logf("%s has ended, and had %d streams", r.listen, open)
				r.start(t)
			}
			clients.report(t)
		})
	}
}

// drainDelay is the replicas' drain_delay, as the files in deploy/balancers say.
const drainDelay = 5 * time.Second
