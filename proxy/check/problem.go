package check

import (
	"cmp"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// Limits for the description of a problem that a model gets: the library collects as many causes as it did work.
const (
	mostProblemBytes = 2000
	mostProblemLines = 40
)

// problemOf describes for the model what is wrong with a value: a line for each cause and, indented below it, the
// causes within it. The same value gives the same text, although the library ranges over maps.
func problemOf(invalid *jsonschema.ValidationError) string {
	var p problemText
	p.add(invalid, "")
	return strings.ToValidUTF8(string(p.text[:min(len(p.text), mostProblemBytes)]), "")
}

// problemText is the description so far.
type problemText struct {
	text  []byte
	lines int
}

// add adds the lines of err's causes and of the causes within them. It adds no line for err itself, because the
// outermost error only mentions schemaURL.
func (p *problemText) add(err *jsonschema.ValidationError, indent string) {
	for _, c := range sortedCauses(err) {
		if p.lines++; p.lines > mostProblemLines || len(p.text) > mostProblemBytes {
			return
		}
		if len(p.text) > 0 {
			p.text = append(p.text, '\n')
		}
		p.text = append(append(p.text, indent...), c.line()...)
		next := "  " + indent
		if indent == "" {
			next = "- "
		}
		p.add(c.err, next)
	}
}

// cause is one reason why a value is invalid.
type cause struct {
	err *jsonschema.ValidationError
	at  []string // its place in the value
	// name is the name of an invalid property; nil for other causes. Its place is unknown: the library keeps it in
	// memory that it reuses for other values.
	name *string
	text string // the line, after the first call of line
}

// sortedCauses returns the causes of err in an order that depends only on the value and the schema: by place in the
// value, place in the schema, and text.
func sortedCauses(err *jsonschema.ValidationError) []*cause {
	causes := make([]*cause, len(err.Causes))
	for i, e := range err.Causes {
		e = behindRefs(e)
		causes[i] = &cause{err: e, at: e.InstanceLocation}
		if k, ok := e.ErrorKind.(*kind.PropertyNames); ok {
			causes[i].at, causes[i].name = nil, &k.Property
		}
	}
	slices.SortStableFunc(causes, func(a, b *cause) int {
		if order := slices.CompareFunc(a.at, b.at, comparePlaces); order != 0 {
			return order
		}
		if order := strings.Compare(a.err.SchemaURL, b.err.SchemaURL); order != 0 {
			return order
		}
		if a.name != nil && b.name != nil { // cheaper, because there may be very many
			return strings.Compare(*a.name, *b.name)
		}
		return strings.Compare(a.line(), b.line())
	})
	return causes
}

// behindRefs returns the single cause of an error that only reports where a $ref led.
func behindRefs(err *jsonschema.ValidationError) *jsonschema.ValidationError {
	for len(err.Causes) == 1 {
		if _, ok := err.ErrorKind.(*kind.Reference); !ok {
			break
		}
		err = err.Causes[0]
	}
	return err
}

// comparePlaces compares two field names or, as numbers, two indexes.
func comparePlaces(a, b string) int {
	switch indexA, indexB := isIndex(a), isIndex(b); {
	case indexA && indexB && len(a) != len(b):
		return cmp.Compare(len(a), len(b))
	case indexA && !indexB:
		return -1
	case indexB && !indexA:
		return 1
	}
	return strings.Compare(a, b)
}

func isIndex(name string) bool { return strings.Trim(name, "0123456789") == "" }

// line returns the line of the cause, without the causes within it.
func (c *cause) line() string {
	if c.text == "" {
		own := jsonschema.ValidationError{InstanceLocation: c.at, ErrorKind: c.err.ErrorKind}
		if k, ok := own.ErrorKind.(*kind.AdditionalProperties); ok {
			own.ErrorKind = &kind.AdditionalProperties{Properties: slices.Sorted(slices.Values(k.Properties))}
		}
		c.text = own.Error()
		if c.name != nil {
			c.text = strings.TrimPrefix(c.text, "at '': ")
		}
	}
	return c.text
}
