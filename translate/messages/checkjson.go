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
// The index is for those who read the body. The error is an *InvalidRequestError, or the cause of ctx
// when ctx has ended.
func CheckJSON(ctx context.Context, body []byte) (*rawjson.Index, error) {
	_, index, err := scanBody(ctx, body, nil)
	return index, err
}

// scanBody is [CheckJSON] that also returns the members of the body. If the body has more than
// MaxMembers, one more than those is returned. Names that are in known are not copied. With known, the
// body is one of the Messages API, and names at all depths are checked: see nameCheck.
func scanBody(ctx context.Context, body []byte, known []string) (members []rawjson.Member, index *rawjson.Index, err error) {
	if members, index, ok := quickScan(ctx, body, known); ok {
		return members, index, nil
	}
	members, err = tokenScan(ctx, body, known)
	return members, nil, err
}

// quickScan is scanBody for the bodies that clients send. It reports false if tokenScan has to look.
func quickScan(ctx context.Context, body []byte, known []string) (members []rawjson.Member, index *rawjson.Index, ok bool) {
	check := rawjson.Check{
		MaxDepth: maxDepth, MaxNames: maxNames, MaxMembers: MaxMembers, Known: known,
		Continue: func() bool { return ctx.Err() == nil },
	}
	if known != nil {
		check.Name = quickName
	}
	return check.Members(body)
}

// quickName is lookUpName for a name as it stands in a body, if it has no escapes. Few names make up
// nearly all of a body.
func quickName(name []byte) (ok, free bool) {
	switch string(name) {
	case "type", "text", "role", "content", "id", "name", "description", "tool_use_id", "source", "cache_control":
		return true, false
	case "input", "input_schema":
		return true, true
	}
	meant, free := lookUpName(name)
	return meant == "", free
}

// tokenScan is scanBody token by token: it can say what is wrong with a body.
func tokenScan(ctx context.Context, body []byte, known []string) (members []rawjson.Member, err error) {
	const tokensPerCheck = 1024 // of ctx: well below a millisecond
	dec := jsontext.NewDecoder(bytes.NewBuffer(body))
	var names [maxDepth + 1]int // in the object that is open at each level
	open := 0                   // sum of names
	nameEnd := int64(0)         // where the name ends of the body's member that is being read
	var check nameCheck
	for n := 0; n == 0 || dec.StackDepth() > 0; n++ {
		if n%tokensPerCheck == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		before := dec.InputOffset()
		token, err := dec.ReadToken()
		if err != nil {
			return nil, jsonError(body, err)
		}
		depth := dec.StackDepth()
		in, length := dec.StackIndex(depth)
		isName := in == '{' && length%2 == 1
		if !isName {
			check.value(token.Kind(), depth)
		} else if known != nil {
			if meant := check.name(rawjson.TrimSeparators(body[before:dec.InputOffset()])); meant != "" {
				return nil, misspelt(dotted(dec.StackPointer()), meant)
			}
		}
		switch { // members of the body itself are noted
		case depth != 1 || in != '{' || length == 0 || len(members) > MaxMembers:
		case isName:
			nameEnd = dec.InputOffset()
			members = append(members, rawjson.Member{Name: rawjson.UnquoteKnown(rawjson.TrimSeparators(body[before:nameEnd]), known)})
		default:
			members[len(members)-1].Value = rawjson.TrimSeparators(body[nameEnd:dec.InputOffset()])
		}
		switch token.Kind() { // limits on what the decoder has to remember
		case '{', '[':
			if depth > maxDepth {
				return nil, &InvalidRequestError{Message: fmt.Sprintf("The request body is nested deeper than %d levels.", maxDepth)}
			}
			names[depth] = 0
		case '}':
			open -= names[depth+1]
		case '"':
			if !isName {
				continue
			}
			names[depth]++
			if open++; open > maxNames {
				return nil, &InvalidRequestError{Path: dotted(dec.StackPointer()), Message: fmt.Sprintf("This object and those around it have more than %d members.", maxNames)}
			}
		}
	}
	if len(bytes.TrimLeft(body[dec.InputOffset():], " \t\r\n")) > 0 {
		return nil, jsonError(body, json.Unmarshal(body, new(ignored))) // Unmarshal says what follows the object
	}
	if jsontext.Value(body).Kind() != '{' {
		return nil, &InvalidRequestError{Message: notObject}
	}
	return members, nil
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
		return &InvalidRequestError{Message: "The request body is empty: it should be a JSON object."}
	case !errors.As(err, &syntax):
		return &InvalidRequestError{Message: "The request body is not valid JSON: " + err.Error()}
	case errors.Is(err, jsontext.ErrDuplicateName):
		return &InvalidRequestError{Path: dotted(syntax.JSONPointer), Message: "The name occurs more than once in its object."}
	}
	what := syntax.Err.Error()
	if errors.Is(err, io.ErrUnexpectedEOF) {
		what = "it ends too early"
	}
	return &InvalidRequestError{
		Path:    dotted(syntax.JSONPointer),
		Message: fmt.Sprintf("The request body is not valid JSON: %s (at byte %d).", what, syntax.ByteOffset),
	}
}
