package simulated

import (
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/schema"
)

// maxValueDepth is how deep the values that the simulated model makes lie in each other.
const maxValueDepth = 8

// sampler returns a sampler that makes values of words and numbers of the question.
func (q *question) sampler() *schema.Sampler {
	return &schema.Sampler{
		Depth:  maxValueDepth,
		Enum:   q.mentioned,
		Text:   func(_, _ string) string { return q.phrase() },
		Number: q.number,
	}
}

// input returns an input for a tool whose input has the schema.
func (q *question) input(schema jsontext.Value) jsontext.Value { return q.sampler().Object(schema) }

// value returns a small value that fits the schema.
func (q *question) value(schema jsontext.Value) jsontext.Value { return q.sampler().Value("", schema) }

// number returns a number of the question that is not used yet. If there is none left,
// it returns the least that the schema allows, or 1.
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
