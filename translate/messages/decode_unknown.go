package messages

import (
	"slices"
	"sort"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/rawjson"
)

// This file drops or refuses the members of a request that nothing has read: unknown ones, and those that a text model
// cannot use.

// dropRest drops all members of the object at p that were not taken. Members in known exist in the
// API, but a text model cannot use them; all others are unknown. In strict mode, dropRest fails
// unless the member is a hint. For the request itself, p is nil.
func (d *decoder) dropRest(p *fieldPath, o *rawjson.Object, known []string) {
	if d.opt.Strict { // if there are several errors, report the first name in order
		// Package sort, not slices: slices would add a copy of its sort to the program for this
		// type alone.
		sort.Slice(o.Members, func(i, j int) bool { return o.Members[i].Name < o.Members[j].Name })
	}
	for _, m := range o.Members {
		switch at := p.member(m.Name); {
		case m.Value == nil:
		case !slices.Contains(known, m.Name):
			// A dot in the name would look like a path.
			d.dropUnknown(p.member(strings.ReplaceAll(m.Name, ".", "_")), m.Value)
		case m.Value[0] == 'n' || asksNothing(m.Value):
		case d.opt.Strict && !slices.Contains(hints, m.Name):
			d.failBy(FaultUnsupported, at, "Not supported: this model only completes text. Remove the field, or use a model with a tool API.")
		default:
			d.drop(at)
		}
	}
}

// hints are members of the API that do not change the answer, only its cost, its speed, or who it
// is counted for. Strict mode drops them and does not fail: it only rejects what changes an answer.
var hints = []string{"cache_control", "effort", "metadata", "service_tier", "speed"}

// dropUnknown drops a member that does not belong in its object. In strict mode it fails instead.
func (d *decoder) dropUnknown(at fieldPath, v jsontext.Value) {
	switch {
	case v == nil:
	case d.opt.Strict:
		d.failBy(FaultUnknownField, at, extraInputs)
	case v[0] != 'n':
		d.drop(at)
	}
}
