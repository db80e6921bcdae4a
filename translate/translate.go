package translate

import (
	"context"
	"iter"
	"slices"

	"dragoman/translate/answer"
	input "dragoman/translate/answer/completion"
	"dragoman/translate/answer/held"
	"dragoman/translate/constrain"
	"dragoman/translate/format"
	"dragoman/translate/language"
	"dragoman/translate/memo"
	"dragoman/translate/messages"
	"dragoman/translate/prompt"
)

// What a model is asked: see package prompt.
type (
	Prompt      = prompt.Prompt
	Text        = prompt.Text
	Turn        = prompt.Turn
	Part        = prompt.Part
	CallPart    = prompt.CallPart
	ToolUse     = prompt.ToolUse
	ToolAPI     = prompt.ToolAPI
	OfferedTool = prompt.OfferedTool
	Labels      = language.Labels
	Target      = prompt.Target
	Memo        = prompt.Memo
	RawPrompt   = prompt.RawPrompt
	Constraint  = prompt.Constraint

	ModelOptions = prompt.ModelOptions

	Origins = prompt.Origins
	Origin  = prompt.Origin
)

// What a model answers, and what Dragoman makes of it: see package answer.
type (
	Chunk  = prompt.Chunk
	Reason = prompt.Reason
	Ask    = answer.Ask
	Checks = answer.Checks
	Trace  = answer.Trace
	Step   = answer.Step
	Span   = input.Span
)

// Descriptions of formats: see package format.
type (
	Choice = format.Choice
	About  = format.About

	AboutTemplate = format.AboutTemplate
)

// Render returns the prompt for the request. The error is an [messages.InvalidRequestError] with
// the path in the request, or says what is wrong with the target.
func Render(req *messages.Request, target Target) (*Prompt, error) { return prompt.Render(req, target) }

// RenderContext does what Render does. If ctx ends, its cause is the error.
func RenderContext(ctx context.Context, req *messages.Request, target Target) (*Prompt, error) {
	return prompt.RenderContext(ctx, req, target)
}

// RenderOrigins does what RenderContext does, and also returns where the prompt is from: see
// [prompt.RenderOrigins].
func RenderOrigins(ctx context.Context, req *messages.Request, target Target) (*Prompt, *Origins, error) {
	return prompt.RenderOrigins(ctx, req, target)
}

// The errors of [Constrain] if the model may answer in any way, and if the server writes its calls.
var (
	ErrFreeAnswer    = constrain.ErrFree
	ErrServersFormat = constrain.ErrServersFormat
)

// Constrain returns the constraint that a server can enforce for the answer: see
// [constrain.Answer].
func Constrain(ctx context.Context, p *Prompt, free bool) (*Constraint, error) {
	return constrain.Answer(ctx, p, free)
}

// Events returns the events of the answer to a prompt, which was rendered from req: see
// [answer.Events].
func Events(req *messages.Request, p *Prompt, ask Ask) iter.Seq2[messages.Event, error] {
	return answer.Events(req, p, ask)
}

// Unasked returns the events of an answer without asking the model: see [answer.Unasked].
func Unasked(req *messages.Request, p *Prompt) iter.Seq2[messages.Event, error] {
	return answer.Unasked(req, p)
}

// Corrected does what Events does. If the model is stuck, or the checks find the answer wrong, it also
// asks the model once more: see [answer.Corrected].
func Corrected(req *messages.Request, p *Prompt, ask Ask, checks *Checks, render answer.Render) iter.Seq2[messages.Event, error] {
	return answer.Corrected(req, p, ask, checks, render)
}

// Judge adds the outcomes for the calls of a native answer: see [answer.Judge].
func Judge(req *messages.Request, memo *Memo, events iter.Seq2[messages.Event, error]) iter.Seq2[messages.Event, error] {
	return answer.Judge(req, memo, events)
}

// FindCalls yields the calls in JSON in a text, whatever stands around them: see [answer.FindCalls].
func FindCalls(req *messages.Request, text string) iter.Seq[held.Found] {
	return answer.FindCalls(req, text)
}

// NewTrace returns a trace of the answer to a prompt: see [answer.Trace].
func NewTrace(req *messages.Request, p *Prompt) *Trace { return answer.NewTrace(req, p) }

// NewMemo returns an empty Memo.
func NewMemo() *Memo { return prompt.NewMemo() }

// CheckTemplate returns an error if a [Target.Template] is not valid for a format.
func CheckTemplate(template, format string) error { return prompt.CheckTemplate(template, format) }

// EstimateTokens returns about how many tokens this many bytes of text have.
func EstimateTokens(bytes int) int { return prompt.EstimateTokens(bytes) }

// EnglishLabels are the labels in the default language.
var EnglishLabels = language.EnglishLabels

// The types of a [Part].
const (
	PartText       = prompt.PartText
	PartImage      = prompt.PartImage
	PartDocument   = prompt.PartDocument
	PartThinking   = prompt.PartThinking
	PartToolUse    = prompt.PartToolUse
	PartToolResult = prompt.PartToolResult
)

// The reasons to ask a model again.
const (
	ReasonStopped     = prompt.ReasonStopped
	ReasonUncontinued = prompt.ReasonUncontinued
	ReasonEchoed      = prompt.ReasonEchoed
	ReasonInvalid     = prompt.ReasonInvalid
	ReasonEmpty       = prompt.ReasonEmpty
	ReasonRepeated    = prompt.ReasonRepeated
)

// The kinds of an [Origin].
const (
	OriginMarkup = prompt.OriginMarkup
)

// The kinds of a [Span].
const (
	SpanText   = input.SpanText
	SpanMarkup = input.SpanMarkup
	SpanValue  = input.SpanValue
	SpanHeld   = input.SpanHeld
	SpanDoubt  = input.SpanDoubt
)

// The text around calls in the legacy format.
const (
	CallsStart = format.CallsStart
	CallsEnd   = format.CallsEnd
)

// The values of [ModelOptions].
const (
	ValuesWhole = prompt.ValuesWhole
	ValuesFlow  = prompt.ValuesFlow

	QuotedText = prompt.QuotedText
	QuotedRead = prompt.QuotedRead

	ExampleOff  = prompt.ExampleOff
	ExampleAuto = prompt.ExampleAuto
	ExampleOn   = prompt.ExampleOn

	ThinkingMarked = format.ThinkingMarked
	ThinkingMaybe  = format.ThinkingMaybe
	ThinkingOpen   = format.ThinkingOpen

	UnaskedBlock = format.UnaskedBlock
	UnaskedText  = format.UnaskedText
	UnaskedHide  = format.UnaskedHide
)

// Names of formats, families and languages.
const (
	FormatAuto      = format.Auto
	FormatLegacy    = format.Legacy
	FormatAttribute = format.Attribute
	FormatJSON      = format.JSON
	AcceptAll       = format.AcceptAll
	FamilyClaude    = format.FamilyClaude
)

// Formats returns the names for [Target.Format], the default first.
func Formats() []string { return format.Names() }

// AcceptedFormats returns the names of all formats that the parser reads: those of Formats, and
// others.
func AcceptedFormats() []string { return format.AcceptedNames() }

// AboutFormats describes each format, in the order of [Formats].
func AboutFormats() []About { return format.AboutAll() }

// AboutReason describes a reason of outcomes.
type AboutReason struct {
	Reason   messages.Reason
	About    string    // a sentence
	Examples []Example // of slips in tags: texts of a call in the attribute format, and answers in the format that About names
}

// Example is a slip: what the model did, and the text that it wrote.
type Example struct{ About, Text string }

// AboutReasons describes each reason, in the order of [messages.Reasons].
func AboutReasons() (list []AboutReason) {
	for _, reason := range messages.Reasons() {
		a := AboutReason{Reason: reason, About: reason.About()}
		for _, slip := range held.Slips {
			if slip.Name == reason && slip.Example != "" {
				a.Examples = append(a.Examples, Example{slip.About, slip.Example})
			}
		}
		for _, slip := range format.TagSlips() {
			isListed := func(e Example) bool { return e.About == slip.Format+": "+slip.About } // in other names of the same tags
			if slip.Name == reason && !slices.ContainsFunc(a.Examples, isListed) {
				a.Examples = append(a.Examples, Example{slip.Format + ": " + slip.About, slip.Example})
			}
		}
		if a.About != "" {
			list = append(list, a)
		}
	}
	return list
}

// ChatTemplates returns the names for [Target.ChatTemplate].
func ChatTemplates() []string { return format.ChatTemplateNames() }

// ChatTemplateFormat returns the name of a chat template's own format; "" if it has none. erased
// reports that the format's markers are special tokens, which servers erase by default.
func ChatTemplateFormat(name string) (f string, erased bool) {
	if name == "" {
		return "", false
	}
	t, err := format.ChatTemplateNamed(name)
	if err != nil || t.Own == nil {
		return "", false
	}
	return t.Own.Name, t.Own.IsErased()
}

// ChatTemplateFor returns the name of the chat template for a model. model is its id, or any text
// with the name of its family. If the family is unknown, ok is false.
func ChatTemplateFor(model string) (name string, ok bool) {
	t, ok := format.ChatTemplateFor(model)
	if !ok {
		return "", false
	}
	return t.Name, true
}

// AboutChatTemplates describes each chat template, in the order of [ChatTemplates].
func AboutChatTemplates() []AboutTemplate { return format.AboutTemplates() }

// Languages returns the names for [Target.Language], the default first.
func Languages() []string { return language.Names() }

// ChooseFormat returns how to ask a model best: see [format.Choose]. It caches the results, because
// an exchange asks several times and there are few models.
func ChooseFormat(model string) Choice {
	if known, ok := choices.Find([]byte(model)); ok {
		return known
	}
	c := format.Choose(model)
	choices.Keep([]byte(model), c, 0)
	return c
}

var choices = memo.New[Choice](1000, 1<<20, 1<<10)

// AcceptFor returns the default of [Target.Accept] for a model.
func AcceptFor(model string) []string { return format.AcceptFor(model) }

// ThinkingFor returns the default of [Target.Thinking] for a model.
func ThinkingFor(model string) string { return format.ThinkingFor(model) }

// UnaskedThinkingFor returns the default of [Target.UnaskedThinking] for a model.
func UnaskedThinkingFor(model string) string { return format.UnaskedThinkingFor(model) }

// VariantFor returns the name of a format's variant for a model: see [format.AboutVariant].
func VariantFor(name, model string) string { return format.VariantFor(name, model) }
