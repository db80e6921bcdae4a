// Package answer parses what a model writes: it turns the chunks of a completion into events of the Messages API,
// with each call as a block. The documentation of package translate defines the terms.
//
// # Completions
//
// This is the form of a completion in EBNF. White space may stand anywhere between tags. Models also write other
// things: the outcomes of package messages list them. The parser treats text of another form as plain text, unless
// its meaning is certain.
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
// Each format may spell the tags in its own way ([format.Format]). For example, the parser reads <function=NAME>
// and <|tool_call_begin|>functions.NAME:0<|tool_call_argument_begin|> as <invoke name="NAME">. The first tag of a
// call sets the spelling for the whole call. In one spelling, the elements inside a value form an object or a list
// (tagged/nested.go).
//
// An object is JSON. It is the whole input of a call. Inside a block it may also be a whole call with its name and
// arguments, and several such calls may form a list. The wrapper of such calls is <tool_call>. Package markup lists
// the other names that the parser accepts for <function_calls> and <thinking>. After the first call, the answer
// contains only calls. It ends before any other text, because the model wrote that text without the results of its
// calls.
//
// A value is any text, including tags of every kind. It ends at its own closing tag, if the text after that tag can
// follow a value: a param, or the end of the parameters, of the call or of the text (tagged/value_end.go). If
// several tags could end the value, the parser holds the text until later text decides (tagged/doubt.go, and
// package held).
//
// # The parser
//
// The parser has four parts. The input (package completion) holds the unread text. Only the emitter (package emit)
// makes events. A reader (package tagged) reads the parameters of a call in tags. The states connect these parts:
// parser.go lists them, and the loop in parse.go runs them. Each state is a function. It reads as much of the input
// as it can decide on, and returns the next state:
//
//	inText         -> atInvoke inWrapper atJSONName inTags inLiteral inRehearsal afterThinking afterAnswer,
//	                  atAnswer in or after thinking
//	atAnswer       -> atJSONName inTags inLiteral inText inRehearsal
//	afterThinking  -> inText atAnswer
//	inRehearsal    -> inText atAnswer
//	inWrapper      -> atInvoke inTags atJSONName inLiteral inForeignBlock, betweenCalls or inText after an empty one
//	atInvoke       -> atToolName inTags betweenCalls
//	atToolName     -> inTags, atInvoke if <invoke> is written twice
//	inTags         -> betweenCalls, inJSONCall if the input is JSON, inBrokenCall after too much stray text
//	atJSONName     -> inJSONCall
//	inJSONCall     -> afterJSONCall betweenCalls, inBrokenCall after unreadable JSON
//	afterJSONCall  -> betweenCalls
//	atFenceEnd     -> betweenCalls
//	atLineEnd      -> betweenCalls inText
//	inLiteral      -> betweenCalls
//	betweenCalls   -> atInvoke inWrapper atJSONName inTags inLiteral afterAnswer inText
//	inBrokenCall   -> betweenCalls
//	inForeignBlock -> inText
//	afterAnswer    -> inText, only for [Rescue]
//
// Any state from inWrapper to afterJSONCall may also do one of these things:
//
//   - It gives a pending call back as text. The next state is inText. After other calls, it is inBrokenCall if the call
//     has named its tool within a wrapper, else afterAnswer.
//   - It ends the answer (afterAnswer), because the call is broken off or the client allows only one call.
//   - It refuses a call. The next state is betweenCalls, inBrokenCall, inForeignBlock or inText.
//
// If tool_choice does not allow a call, the answer ends before that call, in any state (openCall). After a call in
// a Markdown code fence ([Target.QuotedCalls]), the next state is atFenceEnd instead of betweenCalls. After a call
// behind prose on its line, it is atLineEnd.
//
// The states tell the input how they read each part of a completion (package completion). [Trace] shows this to a
// user who follows the parser step by step.
//
// Around the parser, a reader (reader.go) feeds it the chunks of one answer, and decides whether to ask the model
// to continue. A corrector (correct.go) checks a whole answer, holds parts of it back (hold.go), and asks the model
// to write it again.
package answer
