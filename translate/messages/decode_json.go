package messages

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/rawjson"
)

// This file checks that a body is safe to read as JSON, before anything is read from it.

// CheckJSON checks that body is one JSON object in strict I-JSON (RFC 7493): valid UTF-8, no
// duplicate names in an object, and nothing after the object. Names are case-sensitive. It also
// checks two limits: maxDepth levels, and maxNames members in an object and all objects around it.
// It takes time linear in the body, and memory only for these names.
//
// The error is an *InvalidRequestError. If ctx has ended, the error is its cause.
func CheckJSON(ctx context.Context, body []byte) error {
	_, err := scanBody(ctx, body, nil)
	return err
}

// scanBody does what [CheckJSON] does, and returns the members of the body. If the body has more
// than MaxMembers, scanBody returns MaxMembers+1 of them. If known is not nil, the body is a
// Messages-API request: scanBody also checks the case of all names (see nameCheck), and does not
// copy names that are in known.
func scanBody(ctx context.Context, body []byte, known []string) ([]rawjson.Member, error) {
	s := bodyScan{ctx: ctx, body: body, known: known}
	switch err := json.Unmarshal(body, &s); {
	case s.err != nil:
		return nil, s.err
	case err != nil:
		return nil, jsonError(body, err)
	case jsontext.Value(body).Kind() != '{':
		return nil, &InvalidRequestError{Fault: FaultJSON, Message: notObject}
	}
	return s.members, nil
}

// bodyScan is the state of one check.
type bodyScan struct {
	ctx     context.Context
	body    []byte
	known   []string
	check   nameCheck
	open    int              // members so far of all objects that are open
	members []rawjson.Member // members of the body itself
	begin   int              // where the value of the last of them begins
	err     error            // an error that scanBody found itself; the JSON package returns its own
}

// UnmarshalJSONFrom checks all tokens of a body.
func (s *bodyScan) UnmarshalJSONFrom(d *jsontext.Decoder) (err error) {
	const tokensPerCheck = 1024 // well below a millisecond
	for n := 0; err == nil && (n == 0 || d.StackDepth() > 0); n++ {
		if n%tokensPerCheck == 0 && s.ctx.Err() != nil {
			s.err = context.Cause(s.ctx)
		}
		if s.err != nil {
			return s.err
		}
		err = s.next(d)
	}
	return err
}

// next reads a token and checks it.
func (s *bodyScan) next(d *jsontext.Decoder) error {
	kind := d.PeekKind()
	in, length := d.StackIndex(d.StackDepth())
	switch {
	case kind == '"' && in == '{' && length%2 == 0:
		return s.name(d)
	case kind == '}':
		s.open -= int(length / 2)
	}
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	depth := d.StackDepth()
	s.check.value(kind, depth)
	if depth > maxDepth { // the decoder needs memory for each level
		s.err = &InvalidRequestError{Fault: FaultLimit, Message: fmt.Sprintf("The request body is nested deeper than %d levels.", maxDepth)}
	}
	if depth == 1 && s.begin > 0 && len(s.members) <= MaxMembers {
		s.members[len(s.members)-1].Value = bytes.TrimLeft(s.body[s.begin:d.InputOffset()], ": \t\r\n")
	}
	return nil
}

// name reads the name of a member and checks it.
func (s *bodyScan) name(d *jsontext.Decoder) error {
	quoted, err := d.ReadValue()
	if err != nil {
		return err
	}
	if s.known != nil {
		if meant := s.check.name(quoted); meant != "" {
			s.err = misspelt(dotted(d.StackPointer()), meant)
		}
	}
	if d.StackDepth() == 1 && len(s.members) <= MaxMembers {
		s.members = append(s.members, rawjson.Member{Name: rawjson.UnquoteKnown(quoted, s.known)})
		s.begin = int(d.InputOffset())
	}
	if s.open++; s.open > maxNames && s.err == nil {
		s.err = &InvalidRequestError{Fault: FaultLimit, Path: dotted(d.StackPointer()), Message: fmt.Sprintf("This object and the objects around it have more than %d members in all.", maxNames)}
	}
	return nil
}

// jsonError turns an error of the json package into the error for the client.
func jsonError(body []byte, err error) *InvalidRequestError {
	var syntax *jsontext.SyntacticError
	switch {
	case len(bytes.TrimSpace(body)) == 0:
		return &InvalidRequestError{Fault: FaultJSON, Message: "The request body is empty: it should be a JSON object."}
	case !errors.As(err, &syntax):
		return &InvalidRequestError{Fault: FaultJSON, Message: "The request body is not valid JSON: " + err.Error()}
	case errors.Is(err, jsontext.ErrDuplicateName):
		return &InvalidRequestError{Fault: FaultJSON, Path: dotted(syntax.JSONPointer), Message: "The name occurs more than once in its object."}
	}
	what := syntax.Err.Error()
	if errors.Is(err, io.ErrUnexpectedEOF) {
		what = "it ends too early"
	}
	return &InvalidRequestError{
		Fault:   FaultJSON,
		Path:    dotted(syntax.JSONPointer),
		Message: fmt.Sprintf("The request body is not valid JSON: %s (at byte %d).", what, syntax.ByteOffset),
	}
}
