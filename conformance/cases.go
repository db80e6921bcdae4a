package conformance

import (
	"slices"
	"testing"

	"dragoman/upstream/upstreamtest"
)

// Case is something that every client must be able to do. It runs with and without streaming.
type Case struct {
	Name string
	Run  func(t *testing.T, c Client)
}

// Cases are all cases, in the order of the README's table.
var Cases = []Case{
	{"text", all(scripted(simpleText), simulated(Setup{}, holdText))},
	{ToolLoop, all(scripted(toolLoop), simulated(Setup{System: "Be brief.", Tools: both}, holdLoop))},
	{"parallel calls", scripted(parallelCalls)},
	{"no arguments", scripted(noArguments)},
	{ForcedTool, all(
		simulated(Setup{Tools: both, Choice: &Choice{Type: "tool", Name: clock.Name}}, holdForced),
		simulated(Setup{Tools: both, Choice: &Choice{Type: "any"}}, holdAny),
	)},
	{NoTool, simulated(Setup{Tools: both, Choice: &Choice{Type: "none"}}, holdText)},
	{ToolError, all(scripted(toolError), simulated(Setup{Tools: both}, holdToolError))},
	{ImageResult, scripted(imageResult)},
	{Arguments, scripted(arguments)},
	{LongNumbers, scripted(longNumbers)},
	{CutShort, all(scripted(cutText), runCutWhole, simulated(Setup{MaxTokens: 1}, holdCut))},
	{CutCall, runCutCall},
	{StopSequence, scripted(stopSequence)},
	{Abort, runAbort},
	{AbortWhole, runAbortWhole},
	{Statuses, runStatuses},
	{FailureWithin, runFailures},
}

// The names of the cases that some libraries cannot pass.
const (
	ToolLoop      = "tool loop"      // calls in several turns, also with text before them
	ForcedTool    = "forced tool"    // tool_choice forces a call
	NoTool        = "no tool"        // tool_choice forbids calls
	ToolError     = "tool error"     // a tool answers with an error
	ImageResult   = "image result"   // a tool answers with an image beside text
	Arguments     = "every argument" // a value of each type
	LongNumbers   = "long numbers"   // a value has more digits than a double keeps
	CutShort      = "cut"            // max_tokens cuts a text, or a call that is not streamed
	CutCall       = "cut call"       // a streamed call is cut by max_tokens
	StopSequence  = "stop sequence"  // a stop sequence of the client ends the answer
	Abort         = "abort"          // the client leaves a stream before its end
	AbortWhole    = "abort whole"    // the client gives up an answer that is not streamed
	Statuses      = "error statuses" // the server rejects a request, or passes on an error of the upstream
	FailureWithin = "failure within" // the model fails before or in the middle of its answer
)

// all runs several conversations as one case.
func all(runs ...func(*testing.T, Client)) func(*testing.T, Client) {
	return func(t *testing.T, c Client) {
		for _, run := range runs {
			run(t, c)
		}
	}
}

// scripted is a conversation with a model that follows a script, so that every character of its answers is
// known. The answers arrive seven bytes at a time. So no frame arrives in one piece, and many characters are
// cut. The conversation runs in the ways named in only; without any, in all ways.
func scripted(s script, only ...string) func(*testing.T, Client) {
	return scriptedBy(serveBedrock, s, only...)
}

// scriptedBy is scripted with another server than serveBedrock.
func scriptedBy(serve func(*testing.T, upstreamtest.Script) (string, *upstreamtest.Bedrock), s script, only ...string) func(*testing.T, Client) {
	return func(t *testing.T, c Client) {
		for _, way := range c.ways() {
			if len(only) > 0 && !slices.Contains(only, way.name) {
				continue
			}
			t.Run("scripted "+way.name, func(t *testing.T) {
				var completions []upstreamtest.Completion
				for _, step := range s.steps {
					completions = append(completions, upstreamtest.Completion{Text: step.completion, Stop: step.stop, Fragment: 7})
				}
				url, fake := serve(t, inTurn(completions...))
				c.hold(t, c.Open(url, "", s.setup()), s.steps, way.ask)
				checkPrompts(t, fake.Requests(), s.steps)
			})
		}
	}
}

// simulated is a conversation with the simulated model, built in and behind a fake Bedrock. hold checks each
// conversation. simulated checks that the answers are the same in all ways.
func simulated(setup Setup, hold func(t *testing.T, c Conversation, ask ask) []Answer) func(*testing.T, Client) {
	setup.Model = model
	if setup.MaxTokens == 0 {
		setup.MaxTokens = 1024
	}
	talk := func(t *testing.T, c Client, url string) {
		var first []Answer
		for _, way := range c.ways() {
			answers := hold(t, c.Open(url, "", setup), way.ask)
			if first == nil {
				first = answers
			}
			for i := range answers {
				c.same(t, answers[i], first[i])
			}
		}
	}
	return func(t *testing.T, c Client) {
		t.Run("simulated", func(t *testing.T) { talk(t, c, Serve(t, nil, "--simulated")) })
		t.Run("simulated behind Bedrock", func(t *testing.T) {
			url, _ := serveBedrock(t, upstreamtest.Simulated)
			talk(t, c, url)
		})
	}
}
