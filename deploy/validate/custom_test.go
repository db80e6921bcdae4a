package validate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"sigs.k8s.io/yaml"
)

// customKinds are the kinds that the tests check like an API server with their definition: unknown fields,
// values, and the rules of the definition. The definitions come from the projects' own releases. Go types
// would check less, and KEDA's types would bring in all of KEDA.
var customKinds = map[runtimeschema.GroupVersionKind]*customKind{
	{Group: "gateway.networking.k8s.io", Version: "v1", Kind: "HTTPRoute"}: {
		module: "sigs.k8s.io/gateway-api@v1.6.3",
		path:   "config/crd/standard/gateway.networking.k8s.io_httproutes.yaml",
	},
	{Group: "keda.sh", Version: "v1alpha1", Kind: "ScaledObject"}: {
		module: "github.com/kedacore/keda/v2@v2.21.0",
		path:   "config/crd/bases/keda.sh_scaledobjects.yaml",
	},
}

// customKind is a kind with its definition, which is a file of a Go module.
type customKind struct {
	module, path string

	once       sync.Once
	err        error
	structural *schema.Structural
	values     validation.SchemaValidator
	rules      *cel.Validator // nil if the definition has no rules
}

// check returns the error of an API server for an object. The object was read from document.
func (k *customKind) check(document []byte, object *unstructured.Unstructured) error {
	k.once.Do(func() { k.err = k.read(object.GroupVersionKind().Version) })
	if k.err != nil {
		return fmt.Errorf("the definition of %s: %w", object.GetKind(), k.err)
	}
	if _, err := yaml.YAMLToJSONStrict(document); err != nil { // rejects duplicate fields
		return err
	}
	defaulted := object.DeepCopy().Object
	defaulting.Default(defaulted, k.structural)
	errs := validation.ValidateCustomResource(nil, defaulted, k.values)
	if k.rules != nil {
		broken, _ := k.rules.Validate(context.Background(), nil, k.structural, defaulted, nil, celconfig.RuntimeCELCostBudget)
		errs = append(errs, broken...)
	}
	unknown := pruning.PruneWithOptions(object.DeepCopy().Object, k.structural, true, schema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})
	if len(unknown) > 0 {
		return errors.Join(errs.ToAggregate(), fmt.Errorf("unknown fields: %s", strings.Join(unknown, ", ")))
	}
	return errs.ToAggregate()
}

// read reads the definition of a version of the kind.
func (k *customKind) read(version string) error {
	folder, err := download(k.module)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(folder, k.path))
	if err != nil {
		return err
	}
	var definition apiextensionsv1.CustomResourceDefinition
	if err := yaml.Unmarshal(text, &definition); err != nil {
		return err
	}
	for _, v := range definition.Spec.Versions {
		if v.Name != version || !v.Served {
			continue
		}
		var props apiextensions.JSONSchemaProps
		if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(v.Schema.OpenAPIV3Schema, &props, nil); err != nil {
			return err
		}
		if k.structural, err = schema.NewStructural(&props); err != nil {
			return err
		}
		k.rules = cel.NewValidator(k.structural, true, celconfig.PerCallLimit)
		k.values, _, err = validation.NewSchemaValidator(&props)
		return err
	}
	return fmt.Errorf("%s has no version %s", k.path, version)
}

// download returns the folder of a module's files. It runs outside this module, because this module does not
// require it.
func download(module string) (string, error) {
	cmd := exec.Command("go", "mod", "download", "-json", module)
	cmd.Dir = os.TempDir()
	output, err := cmd.Output()
	var found struct{ Dir, Error string }
	if json.Unmarshal(output, &found) == nil && found.Error != "" {
		return "", errors.New(found.Error)
	}
	return found.Dir, err
}
