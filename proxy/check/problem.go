package check

import (
	"cmp"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// The most that a model is told of what is wrong with a value: the library collects as many
// causes as it did work.
const (
	mostProblemBytes = 2000
	mostProblemLines = 40
)

// problemOf returns what is wrong with a value, for the model to read: a line for each
// cause, and below it, indented, those within it. The same value gives the same text,
// although the library ranges over maps.
func problemOf(invalid *jsonschema.ValidationError) string {
	var p problemText
	p.add(invalid, "")
	return strings.ToValidUTF8(string(p.text[:min(len(p.text), mostProblemBytes)]), "")
}

// problemText is what is written of a problem so far.
type problemText struct {
	text  []byte
	lines int
}

// add adds the lines of the causes of err, and of those within them. It does not add the
// line of err itself, since that of the outermost error has nothing but schemaURL to say.
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

// cause is one reason why a value is not valid.
type cause struct {
	err *jsonschema.ValidationError
	at  []string // the place in the value
	// name is the name of a property that is not valid, nil for other causes. Its place is
	// not known: the library's is in memory that it uses again, for those of other values.
	name *string
	text string // of the line, once it was asked for
}

// sortedCauses returns the causes of err in an order that the value and the schema decide:
// by the place in the value, the place in the schema, and the text.
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
		if a.name != nil && b.name != nil { // there may be very many
			return strings.Compare(*a.name, *b.name)
		}
		return strings.Compare(a.line(), b.line())
	})
	return causes
}

// behindRefs returns the one cause of an error that only says where a $ref led.
func behindRefs(err *jsonschema.ValidationError) *jsonschema.ValidationError {
	for len(err.Causes) == 1 {
		if _, ok := err.ErrorKind.(*kind.Reference); !ok {
			break
		}
		err = err.Causes[0]
	}
	return err
}

// comparePlaces compares two names of members or, by their numbers, two indexes of
// elements.
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

// line returns the line of the cause, without those within it.
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
