package validate

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/strategicpatch"

	"dragoman/deploy/validate/kube"
)

// cluster is an API server with a namespace "apps", with as much of its API as Helm needs. It stores objects,
// and does the work of the controllers: it sets the missing replicas of a Deployment to 1, creates a
// ReplicaSet for each Pod template, and runs Jobs on this machine.
type cluster struct {
	t          *testing.T
	kubeconfig string

	mu      sync.Mutex
	objects map[string]runtime.Object // by the path of their URL
	sets    int                       // the number of created ReplicaSets
}

func newCluster(t *testing.T) *cluster {
	t.Helper()
	c := &cluster{t: t, objects: map[string]runtime.Object{}}
	server := httptest.NewServer(http.HandlerFunc(c.serve))
	t.Cleanup(server.Close)
	c.kubeconfig = valuesFile(t, fmt.Sprintf(`apiVersion: v1
kind: Config
clusters: [{name: a, cluster: {server: %q}}]
users: [{name: a, user: {}}]
contexts: [{name: a, context: {cluster: a, user: a, namespace: apps}}]
current-context: a
`, server.URL))
	return c
}

// helm runs a command against the cluster.
func (c *cluster) helm(args ...string) (stderr string, err error) {
	c.t.Helper()
	_, stderr, err = helm(c.t, append(args, "--kubeconfig", c.kubeconfig, "--timeout=1m")...)
	return stderr, err
}

// install installs or upgrades the release, with values in YAML. Helm merges the objects, as Helm 3 does.
func (c *cluster) install(values string) (stderr string, err error) {
	c.t.Helper()
	return c.helm("upgrade", "--install", "dragoman", chart, "--server-side=false", "--disable-openapi-validation", "--values", valuesFile(c.t, values))
}

// rollback rolls the release back to a revision.
func (c *cluster) rollback(revision string) {
	c.t.Helper()
	if stderr, err := c.helm("rollback", "dragoman", revision, "--server-side=false"); err != nil {
		c.t.Fatalf("helm rollback: %v\n%s", err, stderr)
	}
}

// mustInstall is install, and fails the test on an error.
func (c *cluster) mustInstall(values string) {
	c.t.Helper()
	if stderr, err := c.install(values); err != nil {
		c.t.Fatalf("helm upgrade: %v\n%s", err, stderr)
	}
}

// all returns all objects.
func (c *cluster) all() set {
	c.mu.Lock()
	defer c.mu.Unlock()
	var objects set
	for _, object := range c.objects {
		objects = append(objects, object.DeepCopyObject())
	}
	return objects
}

// put creates or replaces an object, as another client would.
func (c *cluster) put(resource string, object interface {
	runtime.Object
	metav1.Object
}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	object.SetNamespace("apps")
	c.objects[path.Join(path.Dir(resource), "namespaces/apps", path.Base(resource), object.GetName())] = object
}

// remove removes an object.
func (c *cluster) remove(resource, name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.objects, path.Join(path.Dir(resource), "namespaces/apps", path.Base(resource), name))
}

// deployment returns the Deployment.
func (c *cluster) deployment() *appsv1.Deployment {
	c.t.Helper()
	deployment, found := named[*appsv1.Deployment](c.all(), "dragoman")
	if !found {
		c.t.Fatal("there is no Deployment")
	}
	return deployment
}

func (c *cluster) serve(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		c.t.Error(err)
	}
	if answer := discovery(r.URL.Path); answer != nil {
		reply(w, http.StatusOK, answer)
		return
	}
	api, rest, _ := strings.Cut(r.URL.Path, "/namespaces/apps/")
	resource, name, _ := strings.Cut(rest, "/")
	kind, known := kinds[api][resource]
	object, there := c.objects[r.URL.Path]
	switch {
	case !known, name != "" && !there:
		fail(w, http.StatusNotFound, metav1.StatusReasonNotFound)
	case r.URL.Query().Get("watch") != "": // nothing changes while Helm waits
		w.WriteHeader(http.StatusOK)
		w.(http.Flusher).Flush()
		c.mu.Unlock()
		<-r.Context().Done()
		c.mu.Lock()
	case r.Method == http.MethodGet && name == "":
		reply(w, http.StatusOK, c.list(r, kind))
	case r.Method == http.MethodGet:
		reply(w, http.StatusOK, object)
	case r.Method == http.MethodDelete:
		delete(c.objects, r.URL.Path)
		reply(w, http.StatusOK, metav1.Status{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusSuccess})
	default:
		c.write(w, r, object, body)
	}
}

// list returns the objects of a collection that match a label selector.
func (c *cluster) list(r *http.Request, kind string) map[string]any {
	selector, err := labels.Parse(r.URL.Query().Get("labelSelector"))
	if err != nil {
		c.t.Error(err)
	}
	items := []any{}
	for at, object := range c.objects {
		if path.Dir(at) == r.URL.Path && selector.Matches(labels.Set(object.(metav1.Object).GetLabels())) {
			items = append(items, object)
		}
	}
	api, _, _ := strings.Cut(r.URL.Path, "/namespaces/")
	return map[string]any{"apiVersion": version(api), "kind": kind + "List", "metadata": map[string]any{"resourceVersion": "1"}, "items": items}
}

// write creates, replaces or patches an object.
func (c *cluster) write(w http.ResponseWriter, r *http.Request, object runtime.Object, body []byte) {
	if r.Method == http.MethodPatch {
		before, err := json.Marshal(object)
		if err == nil {
			body, err = strategicpatch.StrategicMergePatch(before, body, object)
		}
		if err != nil {
			c.t.Error(err)
		}
	}
	written, err := kube.Decode(body)
	if err != nil {
		c.t.Errorf("%s %s: %v\n%s", r.Method, r.URL, err, body)
		fail(w, http.StatusUnprocessableEntity, metav1.StatusReasonInvalid)
		return
	}
	at := r.URL.Path
	if r.Method == http.MethodPost {
		at = path.Join(at, written.(metav1.Object).GetName())
	}
	if _, there := c.objects[at]; there && r.Method == http.MethodPost {
		fail(w, http.StatusConflict, metav1.StatusReasonAlreadyExists)
		return
	}
	if before, is := object.(*corev1.ConfigMap); is && before.Immutable != nil && *before.Immutable && fmt.Sprint(before.Data) != fmt.Sprint(written.(*corev1.ConfigMap).Data) {
		fail(w, http.StatusUnprocessableEntity, metav1.StatusReasonInvalid)
		return
	}
	written.(metav1.Object).SetNamespace("apps")
	c.objects[at] = written
	switch written := written.(type) {
	case *appsv1.Deployment:
		c.control(written)
	case *batchv1.Job:
		c.run(written)
	}
	reply(w, http.StatusOK, written)
}

// control does the work of the Deployment controller.
func (c *cluster) control(d *appsv1.Deployment) {
	if d.Spec.Replicas == nil {
		d.Spec.Replicas = new(int32(1))
	}
	template, err := json.Marshal(d.Spec.Template)
	if err != nil {
		c.t.Error(err)
	}
	for _, object := range c.objects {
		if set, is := object.(*appsv1.ReplicaSet); is {
			if same, _ := json.Marshal(set.Spec.Template); slices.Equal(same, template) {
				return
			}
		}
	}
	c.sets++
	name := fmt.Sprintf("%s-%d", d.Name, c.sets)
	c.objects["/apis/apps/v1/namespaces/apps/replicasets/"+name] = &appsv1.ReplicaSet{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apps/v1", Kind: "ReplicaSet"},
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "apps", Labels: d.Spec.Template.Labels},
		Spec:       appsv1.ReplicaSetSpec{Selector: d.Spec.Selector, Template: d.Spec.Template},
	}
}

// run runs a Job to its end.
func (c *cluster) run(job *batchv1.Job) {
	var objects set
	for _, object := range c.objects {
		objects = append(objects, object)
	}
	spec := job.Spec.Template.Spec
	cmd, _ := program{objects, spec, spec.Containers[0]}.command(c.t)
	ended := batchv1.JobComplete
	if output, err := cmd.CombinedOutput(); err != nil {
		ended = batchv1.JobFailed
		c.t.Logf("%s: %v\n%s", cmd, err, output)
	}
	job.Status.Conditions = []batchv1.JobCondition{{Type: ended, Status: corev1.ConditionTrue}}
}

func reply(w http.ResponseWriter, status int, answer any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(answer) // Helm has left
}

func fail(w http.ResponseWriter, status int, reason metav1.StatusReason) {
	reply(w, status, metav1.Status{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusFailure,
		Message: string(reason), Reason: reason, Code: int32(status),
	})
}
