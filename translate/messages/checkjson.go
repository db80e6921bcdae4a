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

// This file checks that a body is JSON that is safe to read, before anything is read from it.

// CheckJSON checks that body is one JSON object in strict I-JSON (RFC 7493): valid UTF-8, no name
// twice in an object at any depth, names compared with their case, at most 200 levels deep, at most
// 50,000 members in the objects around any place, and nothing after the object. It takes time linear
// in the body, and memory for those names alone.
//
// The error is an *InvalidRequestError, or the cause of ctx when ctx has ended.
func CheckJSON(ctx context.Context, body []byte) error {
	_, err := scanBody(ctx, body, nil)
	return err
}

// scanBody is [CheckJSON] that also returns the members of the body. If the body has more than
// MaxMembers, one more than those is returned. Names that are in known are not copied. With known, the
// body is one of the Messages API, and names at all depths are checked: see nameCheck.
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

// bodyScan is a check that is going on.
type bodyScan struct {
	ctx     context.Context
	body    []byte
	known   []string
	check   nameCheck
	open    int              // members of the objects that are open
	members []rawjson.Member // of the body itself
	begin   int              // of the value of the last of them
	err     error            // what ended the scan, if it is not what the JSON package found
}

// UnmarshalJSONFrom checks all tokens of a body.
func (s *bodyScan) UnmarshalJSONFrom(d *jsontext.Decoder) (err error) {
	const tokensPerCheck = 1024 // of ctx: well below a millisecond
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
	if depth > maxDepth { // a limit on what the decoder has to remember
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
		s.err = &InvalidRequestError{Fault: FaultLimit, Path: dotted(d.StackPointer()), Message: fmt.Sprintf("This object and those around it have more than %d members.", maxNames)}
	}
	return nil
}

// jsonError returns what the json package found wrong with a body as the client is told it.
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
