package format

import (
	"strings"
)

// This file has variants of formats: models of one format were trained on different prompts, but
// write the same calls.

// Variants returns the variants of all formats. A variant has the name of its format.
func Variants() []*Format {
	return []*Format{qwenJSONCalls, Qwen25Calls, qwen35Calls, stepCalls, glm47Calls, glm52Calls, longcatCalls, hyCalls, hy4Calls, dsmlV32Calls, lfm2Calls, lfm25Calls, olmoCalls, functionGemmaCalls}
}

// vary returns a variant of f for models whose ids contain one of models.
func (f *Format) vary(variant string, change func(*Format), models ...string) *Format {
	v := *f
	v.Variant, v.Models = variant, models
	if v.Shape.Call[0] != "" && v.Example == f.Shape.example(f.BeforeCalls, f.AfterCalls) {
		v.Example = "" // shaped makes a new one
	}
	change(&v)
	if v.Shape.Call[0] == "" {
		return &v
	}
	return shaped(v)
}

// variantFor returns the variant of f that a model was trained on, or f if there is none. If
// several parts of ids match, the longest counts.
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
