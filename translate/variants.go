package translate

import (
	"strings"
)

// Formats whose models were not all trained on the same prompt. Their calls are read alike.

// variants are how some models are asked in the format of the same name.
func variants() []*format {
	return []*format{qwenJSONCalls, qwen25Calls, qwen35Calls, stepCalls, glm47Calls, glm52Calls, longcatCalls, hyCalls, hy4Calls, dsmlV32Calls, lfm2Calls, lfm25Calls, olmoCalls, functionGemmaCalls}
}

// vary returns a variant of f, for the models with one of these parts in their ids.
func (f *format) vary(variant string, change func(*format), models ...string) *format {
	v := *f
	v.variant, v.models = variant, models
	if v.shape.call[0] != "" && v.example == f.shape.example(f.beforeCalls, f.afterCalls) {
		v.example = "" // it follows from the shape
	}
	change(&v)
	if v.shape.call[0] == "" {
		return &v
	}
	return shaped(v)
}

// variantFor returns the variant of f that a model was trained on, or f. Of several parts of ids, the
// longest counts.
func (f *format) variantFor(model string) *format {
	found, most := f, 0
	model = strings.ToLower(model)
	for _, v := range variants() {
		for _, part := range v.models {
			if v.name == f.name && len(part) > most && strings.Contains(model, part) {
				found, most = v, len(part)
			}
		}
	}
	return found
}
