package validate

import (
	"path"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// kinds are the kinds that the cluster knows, by API path and resource name.
var kinds = map[string]map[string]string{
	"/api/v1": {
		"configmaps": "ConfigMap", "pods": "Pod", "secrets": "Secret", "serviceaccounts": "ServiceAccount", "services": "Service",
	},
	"/apis/apps/v1":        {"deployments": "Deployment", "replicasets": "ReplicaSet"},
	"/apis/autoscaling/v2": {"horizontalpodautoscalers": "HorizontalPodAutoscaler"},
	"/apis/batch/v1":       {"jobs": "Job"},
	"/apis/policy/v1":      {"poddisruptionbudgets": "PodDisruptionBudget"},
}

// discovery returns an API server's description of its versions and kinds, or nil for other paths.
func discovery(at string) any {
	switch at {
	case "/version":
		return map[string]string{"major": "1", "minor": "37", "gitVersion": "v1.37.0"}
	case "/api":
		return metav1.APIVersions{TypeMeta: metav1.TypeMeta{Kind: "APIVersions"}, Versions: []string{"v1"}}
	case "/apis":
		groups := metav1.APIGroupList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "APIGroupList"}}
		for name := range kinds {
			if name != "/api/v1" {
				groups.Groups = append(groups.Groups, metav1.APIGroup{
					Name:     path.Dir(version(name)),
					Versions: []metav1.GroupVersionForDiscovery{{GroupVersion: version(name), Version: path.Base(name)}},
				})
			}
		}
		return groups
	}
	if at, is := strings.CutPrefix(at, "/openapi/v3"); is {
		return openAPI(at)
	}
	resources, known := kinds[at]
	if !known {
		return nil
	}
	list := metav1.APIResourceList{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "APIResourceList"}, GroupVersion: version(at),
	}
	for name, kind := range resources {
		list.APIResources = append(list.APIResources, metav1.APIResource{
			Name: name, SingularName: strings.ToLower(kind), Kind: kind, Namespaced: true,
			Verbs: []string{"create", "delete", "get", "list", "patch", "update", "watch"},
		})
	}
	return list
}

// openAPI tells Helm that the server validates fields. Otherwise Helm would validate them itself.
func openAPI(at string) any {
	paths := map[string]any{}
	if at == "" {
		for api := range kinds {
			paths[strings.TrimPrefix(api, "/")] = map[string]string{"serverRelativeURL": "/openapi/v3" + api}
		}
	}
	for name, kind := range kinds[at] {
		group, v, found := strings.Cut(version(at), "/")
		if !found {
			group, v = "", group
		}
		paths[at+"/namespaces/{namespace}/"+name+"/{name}"] = map[string]any{"patch": map[string]any{
			"x-kubernetes-group-version-kind": map[string]string{"group": group, "version": v, "kind": kind},
			"parameters":                      []any{map[string]string{"name": "fieldValidation", "in": "query"}},
		}}
	}
	return map[string]any{"openapi": "3.0.0", "info": map[string]string{}, "paths": paths}
}

// version returns the version in an API's path, such as apps/v1.
func version(api string) string {
	return strings.TrimPrefix(strings.TrimPrefix(api, "/apis/"), "/api/")
}
