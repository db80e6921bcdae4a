// Package answer reads what a model writes: the chunks of a completion become events of the Messages API, with
// calls as blocks. The words that it uses are in the documentation of package translate.
//
// # Completions
//
// What a model writes, in EBNF, with white space anywhere between tags. Models
// write more than that: see the outcomes of package messages. What is not of
// this form is text, unless its meaning is certain all the same.
//
//	completion = { text | thinking } { block | call } .
//	thinking   = "<thinking>" text "</thinking>" .
//	block      = "<function_calls>" { call | object } "</function_calls>" .
//	call       = "<invoke>" name [ "<parameters>" input "</parameters>" ] "</invoke>"
//	           | "<invoke name=" quoted ">" input "</invoke>" .
//	name       = "<tool_name>" chars "</tool_name>" .
//	input      = { param } | object .
//	param      = "<" tag ">" value "</" tag ">"
//	           | "<parameter name=" quoted ">" value "</parameter>" .
//
// The tags may be spelled in other ways, as the formats say ([format.Format]): <function=NAME> is <invoke
// name="NAME"> to the parser, <|tool_call_begin|>functions.NAME:0<|tool_call_argument_begin|> as well. A
// call is read in the spelling of its first tag to its end. In one of them, an element in a value may hold
// others, which are an object or a list (tagged/nested.go).
//
// An object is JSON: the whole input of a call or, in a block, a whole call with
// its name and arguments, which may stand in a list. The wrapper of such calls is <tool_call>; package
// markup has the other names that the parser takes for <function_calls> and for
// <thinking>. After the first call the answer holds calls alone: it ends before
// any other text, which the model wrote without the results of its calls.
//
// A value is any text, with tags of every kind. It ends at its own closing tag
// where what follows can follow a value: a param, or the end of the parameters,
// of the call or of the text (tagged/value_end.go). Where it is doubtful which tag
// ends it, the text is held until what follows settles that (tagged/doubt.go, and package held).
//
// # The parser
//
// It has four parts. The input (package completion) is the text that is not read yet. The
// emitter (package emit) alone makes events. A reader (package tagged) reads the parameters
// of a call in tags. In between are the states (parser.go has their list, parse.go the loop
// that runs them). Each is a function that reads as much of the input as it can decide
// on, and returns the next state:
//
//	inText         -> atInvoke inWrapper atJSONName inTags inLiteral inRehearsal afterThinking afterAnswer,
//	                  atAnswer in or after thinking
//	atAnswer       -> atJSONName inTags inLiteral inText inRehearsal
//	afterThinking  -> inText atAnswer
//	inRehearsal    -> inText atAnswer
//	inWrapper      -> atInvoke inTags atJSONName inLiteral inForeignBlock, betweenCalls or inText after an empty one
//	atInvoke       -> atToolName inTags betweenCalls
//	atToolName     -> inTags, atInvoke where it stands twice
//	inTags         -> betweenCalls, inJSONCall where the input is JSON, inBrokenCall after too much stray text
//	atJSONName     -> inJSONCall
//	inJSONCall     -> afterJSONCall betweenCalls, inBrokenCall after JSON that cannot be read
//	afterJSONCall  -> betweenCalls
//	atFenceEnd     -> betweenCalls
//	atLineEnd      -> betweenCalls inText
//	inLiteral      -> betweenCalls
//	betweenCalls   -> atInvoke inWrapper atJSONName inTags inLiteral afterAnswer inText
//	inBrokenCall   -> betweenCalls
//	inForeignBlock -> inText
//	afterAnswer    -> inText, only for [Rescue]
//
// Two things may happen in any state from inWrapper to afterJSONCall. A pending
// call may be given back: to inText or, after other calls, to inBrokenCall if it
// has named its tool within a wrapper, else to afterAnswer. And a call may end the answer
// (afterAnswer), because it is broken off or because the client allows one call
// alone. One that is refused leads to betweenCalls, inBrokenCall or inForeignBlock, or to inText.
// An answer ends before a call that tool_choice does not let come, in
// whatever state it shows (openCall).
// A call in a Markdown code fence ([Target.QuotedCalls]) leads to atFenceEnd in
// place of betweenCalls, and one behind prose on its line to atLineEnd.
//
// What each part of a completion is read as is noted where the input is told that it has been read
// (package completion), if somebody follows the parser step by step: see [Trace].
//
// Outside the parser, a reader (reader.go) feeds it the chunks of one answer, and
// decides whether the model is asked to go on with it; a corrector (correct.go)
// checks a whole answer, what of it is held back (hold.go), and has the model
// write it again.
package answer
