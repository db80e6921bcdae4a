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
	const tokensPerCheck = 1024 // of ctx: well below a millisecond
	s := bodyScan{decoder: jsontext.NewDecoder(bytes.NewBuffer(body)), body: body, known: known}
	for n := 0; n == 0 || s.decoder.StackDepth() > 0; n++ {
		if n%tokensPerCheck == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err := s.next(); err != nil {
			return nil, err
		}
	}
	if len(bytes.TrimLeft(body[s.decoder.InputOffset():], " \t\r\n")) > 0 {
		return nil, jsonError(body, json.Unmarshal(body, new(ignored))) // Unmarshal says what follows the object
	}
	if jsontext.Value(body).Kind() != '{' {
		return nil, &InvalidRequestError{Fault: FaultJSON, Message: notObject}
	}
	return s.members, nil
}

// bodyScan is a check that is going on.
type bodyScan struct {
	decoder *jsontext.Decoder
	body    []byte
	known   []string
	check   nameCheck
	names   [maxDepth + 1]int // in the object that is open at each level
	open    int               // sum of names
	members []rawjson.Member  // of the body itself
	begin   int               // of the value of the last of them
}

// next reads a token and checks it.
func (s *bodyScan) next() error {
	d := s.decoder
	kind := d.PeekKind()
	if in, length := d.StackIndex(d.StackDepth()); kind == '"' && in == '{' && length%2 == 0 {
		return s.name()
	}
	if _, err := d.ReadToken(); err != nil {
		return jsonError(s.body, err)
	}
	depth := d.StackDepth()
	s.check.value(kind, depth)
	switch kind { // limits on what the decoder has to remember
	case '{', '[':
		if depth > maxDepth {
			return &InvalidRequestError{Fault: FaultLimit, Message: fmt.Sprintf("The request body is nested deeper than %d levels.", maxDepth)}
		}
		s.names[depth] = 0
	case '}':
		s.open -= s.names[depth+1]
	}
	if in, length := d.StackIndex(depth); depth == 1 && in == '{' && length > 0 && len(s.members) <= MaxMembers {
		s.members[len(s.members)-1].Value = bytes.TrimLeft(s.body[s.begin:d.InputOffset()], ": \t\r\n")
	}
	return nil
}

// name reads the name of a member and checks it.
func (s *bodyScan) name() error {
	d := s.decoder
	quoted, err := d.ReadValue()
	if err != nil {
		return jsonError(s.body, err)
	}
	if s.known != nil {
		if meant := s.check.name(quoted); meant != "" {
			return misspelt(dotted(d.StackPointer()), meant)
		}
	}
	depth := d.StackDepth()
	if depth == 1 && len(s.members) <= MaxMembers {
		s.members = append(s.members, rawjson.Member{Name: rawjson.UnquoteKnown(quoted, s.known)})
		s.begin = int(d.InputOffset())
	}
	s.names[depth]++
	if s.open++; s.open > maxNames {
		return &InvalidRequestError{Fault: FaultLimit, Path: dotted(d.StackPointer()), Message: fmt.Sprintf("This object and those around it have more than %d members.", maxNames)}
	}
	return nil
}

// ignored decodes from any JSON value and keeps nothing of it.
type ignored struct{}

// UnmarshalJSONFrom passes over the next value.
func (*ignored) UnmarshalJSONFrom(dec *jsontext.Decoder) error { return dec.SkipValue() }

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
