package conformance

import (
	"testing"

	"dragoman/upstream/upstreamtest"
)

// Case is something that every client must be able to do. It runs whole and streamed.
type Case struct {
	Name string
	Run  func(t *testing.T, open Opener)
}

// Cases are all of them, in the order of the README's table.
var Cases = []Case{
	{"simple text", all(scripted(simpleText), simulated(Setup{}, holdText))},
	{"tool loop of three turns", all(scripted(toolLoop), simulated(Setup{System: "Be brief.", Tools: both}, holdLoop))},
	{"parallel calls", scripted(parallelCalls)},
	{"tool without arguments", scripted(noArguments)},
	{"forced tool", all(
		simulated(Setup{Tools: both, Choice: &Choice{Type: "tool", Name: clock.Name}}, holdForced),
		simulated(Setup{Tools: both, Choice: &Choice{Type: "any"}}, holdAny),
		simulated(Setup{Tools: both, Choice: &Choice{Type: "none"}}, holdText),
	)},
	{"tool error", all(scripted(toolError), simulated(Setup{Tools: both}, holdToolError))},
	{"image in a tool result", scripted(imageResult)},
	{"Unicode, HTML and every type in arguments", scripted(arguments)},
	{LongNumbers, scripted(longNumbers)},
	{"cut by `max_tokens`", all(scripted(cutCall), simulated(Setup{MaxTokens: 1}, holdCut))},
	{"stop sequence", scripted(stopSequence)},
	{"client leaves before the end", runAbort},
	{"every error status", runStatuses},
	{"failure within an answer", runFailures},
}

// LongNumbers is the case of numbers that have more digits than a double.
const LongNumbers = "numbers longer than a double"

// all runs several conversations as one case.
func all(runs ...func(*testing.T, Opener)) func(*testing.T, Opener) {
	return func(t *testing.T, open Opener) {
		for _, run := range runs {
			run(t, open)
		}
	}
}

// scripted is a conversation with a model that is told what to write, bytes in sevens: no frame and no
// character arrives whole. Its answers are known to the last character.
func scripted(s script) func(*testing.T, Opener) {
	return func(t *testing.T, open Opener) {
		for _, way := range ways {
			t.Run("scripted "+way.name, func(t *testing.T) {
				var completions []upstreamtest.Completion
				for _, step := range s.steps {
					completions = append(completions, upstreamtest.Completion{Text: step.completion, Stop: step.stop, Fragment: 7})
				}
				url, fake := serveBedrock(t, inTurn(completions...))
				hold(t, open(url, "", s.setup()), s.steps, way.ask)
				checkPrompts(t, fake.Requests(), s.steps)
			})
		}
	}
}

// simulated is a conversation with the simulated model, at hand and behind Bedrock. What it answers is
// its own affair; what must hold is that the conversation reaches its end, and the same one whether
// streamed or not.
func simulated(setup Setup, hold func(t *testing.T, c Conversation, ask ask) []Answer) func(*testing.T, Opener) {
	setup.Model = model
	if setup.MaxTokens == 0 {
		setup.MaxTokens = 1024
	}
	talk := func(t *testing.T, open Opener, url string) {
		var first []Answer
		for _, way := range ways {
			answers := hold(t, open(url, "", setup), way.ask)
			if first == nil {
				first = answers
			}
			for i := range answers {
				same(t, answers[i], first[i])
			}
		}
	}
	return func(t *testing.T, open Opener) {
		t.Run("simulated", func(t *testing.T) { talk(t, open, serve(t, nil, "--simulated")) })
		t.Run("simulated behind Bedrock", func(t *testing.T) {
			url, _ := serveBedrock(t, upstreamtest.Simulated)
			talk(t, open, url)
		})
	}
}
