package simulated

import (
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/schema"
)

// maxValueDepth limits how deeply the simulated model nests values.
const maxValueDepth = 8

// sampler returns a sampler that takes words and numbers from the question.
func (q *question) sampler() *schema.Sampler {
	return &schema.Sampler{
		Depth:  maxValueDepth,
		Enum:   q.mentioned,
		Text:   func(_, _ string) string { return q.phrase() },
		Number: q.number,
	}
}

// input returns an input that fits a tool's schema.
func (q *question) input(schema jsontext.Value) jsontext.Value { return q.sampler().Object(schema) }

// value returns a small value that fits the schema.
func (q *question) value(schema jsontext.Value) jsontext.Value { return q.sampler().Value("", schema) }

// number returns the next unused number of the question. If there is none, it returns the schema's minimum,
// or 1.
func (q *question) number(integer bool, least jsontext.Value) jsontext.Value {
	for i, n := range q.numbers {
		if _, err := strconv.Atoi(n); err == nil || !integer {
			q.numbers = slices.Delete(slices.Clone(q.numbers), i, i+1)
			return jsontext.Value(n)
		}
	}
	if least != nil {
		return least
	}
	return jsontext.Value("1")
}
