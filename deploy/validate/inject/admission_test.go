package inject

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/policy/mutating"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	"k8s.io/client-go/discovery"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/openapi"
	"k8s.io/client-go/openapi/openapitest"
	"k8s.io/utils/ptr"

	"dragoman/deploy/validate/kube"
)

// The API server's own plugin changes every example as expected. A second run changes nothing more.
func TestMutatingAdmissionPolicy(t *testing.T) {
	server := newServer(t)
	for _, e := range examples(t) {
		t.Run(e.name, func(t *testing.T) {
			got := e.created.DeepCopy()
			server.admit(t, got)
			if diff := difference(e.want, got); diff != "" {
				t.Errorf("wrong result (-want +got):\n%s", diff)
			}
			again := got.DeepCopy()
			server.admit(t, again)
			if diff := difference(got, again); diff != "" {
				t.Errorf("the second pass changes it (-first +second):\n%s", diff)
			}
			if difference(e.created, got) != "" {
				kube.CheckRestricted(t, e.name, &got.ObjectMeta, &got.Spec)
			}
		})
	}
}

var policyFile = filepath.Join(policies, "mutatingadmissionpolicy.yaml")

// server is the part of an API server that admits Pods.
type server struct{ plugin *mutating.Plugin }

// newServer starts the plugin with the policy, and with the namespaces of the examples.
func newServer(t *testing.T) server {
	t.Helper()
	var objects []runtime.Object
	for _, name := range []string{"team-a", "kube-system", "kube-public", "kube-node-lease"} {
		objects = append(objects, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
			Name: name, Labels: map[string]string{corev1.LabelMetadataName: name},
		}})
	}
	for _, object := range decode[runtime.Object](t, policyFile) {
		if p, ok := object.(*admissionv1.MutatingAdmissionPolicy); ok {
			p.Spec.FailurePolicy = ptr.To(admissionv1.Fail)                  // Ignore would hide an error from this test
			p.Spec.MatchConstraints.ObjectSelector = &metav1.LabelSelector{} // the default of the server
			p.Spec.MatchConstraints.MatchPolicy = ptr.To(admissionv1.Equivalent)
		}
		objects = append(objects, object)
	}

	client := schemaClient{fake.NewClientset(objects...)}
	mapper := meta.NewDefaultRESTMapper(nil)
	mapper.Add(corev1.SchemeGroupVersion.WithKind("Pod"), meta.RESTScopeNamespace)
	factory := informers.NewSharedInformerFactory(client, 0)

	plugin, err := mutating.NewPlugin(nil)
	if err != nil {
		t.Fatal(err)
	}
	plugin.SetEnabled(true)
	plugin.SetExternalKubeClientSet(client)
	plugin.SetExternalKubeInformerFactory(factory)
	plugin.SetDynamicClient(dynamicfake.NewSimpleDynamicClient(scheme.Scheme))
	plugin.SetRESTMapper(mapper)
	plugin.SetDrainedNotification(t.Context().Done())
	plugin.SetUnconditionalAuthorizer(authorizerfactory.NewAlwaysAllowAuthorizer())
	if err := plugin.ValidateInitialization(); err != nil {
		t.Fatal(err)
	}
	factory.Start(t.Context().Done())
	if !plugin.WaitForReady() {
		t.Fatal("the plugin does not become ready")
	}
	return server{plugin}
}

// admit runs the plugin on a Pod, which it changes in place.
func (s server) admit(t *testing.T, pod *corev1.Pod) {
	t.Helper()
	attributes := admission.NewAttributesRecord(pod, nil, corev1.SchemeGroupVersion.WithKind("Pod"),
		pod.Namespace, pod.Name, corev1.SchemeGroupVersion.WithResource("pods"), "", admission.Create,
		&metav1.CreateOptions{}, false, &user.DefaultInfo{Name: "tester"})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := s.plugin.Admit(ctx, attributes, admission.NewObjectInterfacesFromScheme(scheme.Scheme)); err != nil {
		t.Fatal(err)
	}
}

// schemaClient is an in-memory client that also has the schemas of an API server. They come with client-go.
type schemaClient struct{ *fake.Clientset }

func (c schemaClient) Discovery() discovery.DiscoveryInterfaces {
	return schemaDiscovery{c.Clientset.Discovery()}
}

type schemaDiscovery struct{ discovery.DiscoveryInterfaces }

func (schemaDiscovery) OpenAPIV3() openapi.Client { return openapitest.NewEmbeddedFileClient() }
