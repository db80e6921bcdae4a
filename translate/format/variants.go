package format

import (
	"strings"
)

// Formats whose models were not all trained on the same prompt. Their calls are read alike.

// Variants are how some models are asked in the format of the same name.
func Variants() []*Format {
	return []*Format{qwenJSONCalls, Qwen25Calls, qwen35Calls, stepCalls, glm47Calls, glm52Calls, longcatCalls, hyCalls, hy4Calls, dsmlV32Calls, lfm2Calls, lfm25Calls, olmoCalls, functionGemmaCalls}
}

// vary returns a variant of f, for the models with one of these parts in their ids.
func (f *Format) vary(variant string, change func(*Format), models ...string) *Format {
	v := *f
	v.Variant, v.Models = variant, models
	if v.Shape.Call[0] != "" && v.Example == f.Shape.example(f.BeforeCalls, f.AfterCalls) {
		v.Example = "" // it follows from the shape
	}
	change(&v)
	if v.Shape.Call[0] == "" {
		return &v
	}
	return shaped(v)
}

// variantFor returns the variant of f that a model was trained on, or f. Of several parts of ids, the
// longest counts.
func (f *Format) variantFor(model string) *Format {
	found, most := f, 0
	model = strings.ToLower(model)
	for _, v := range Variants() {
		for _, part := range v.Models {
			if v.Name == f.Name && len(part) > most && strings.Contains(model, part) {
				found, most = v, len(part)
			}
		}
	}
	return found
}
