package format

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// ChatTemplate is how a family of models writes a conversation as one string, as data
// (docs/reference/raw-prompts.md §4). In each pair of strings, the first comes before the text and the
// second after it.
type ChatTemplate struct {
	Name string
	// Models are parts of the ids of the template's models, in lower case. Name is one too, unless Words is set.
	Models []string

	BOS    string   // the text of the token that begins a prompt; "" if there is none
	Starts []Piece  // the start of each prompt, after BOS
	Stops  []string // the texts that a model ends its turn with

	// System is the text around the system text.
	System [2]string
	// SystemAt is where the system text comes.
	SystemAt Place
	// SystemStarts is the start of the system text. It makes a system turn even if the client has no text.
	SystemStarts []Piece
	// NoSystem replaces the system turn, if there is no system text.
	NoSystem string
	// SystemText is the text around the client's system text, but not around tools in the same turn.
	SystemText [2]string
	// SystemGap separates two system texts.
	SystemGap string

	User, Assistant [2]string
	// Generation is the end of a prompt, after which the model writes; "" means Assistant[0].
	Generation string
	// NoGeneration: the model writes directly after the user turn.
	NoGeneration bool
	// Messages is the text around each text of the assistant, if the template makes it a message of its own.
	Messages [2]string
	// NextMessage begins another message of the assistant in the same turn.
	NextMessage string
	// Preamble begins a text before calls; "" means Messages[0].
	Preamble string
	// Trims are the texts that lose the white space at both ends.
	Trims Trims
	// Alternates: the first turn is never the assistant's.
	Alternates bool

	Thinking *TemplateThinking
	// Words: turns begin with plain words at the start of a line. A client's text must not begin a line with them.
	Words bool

	// Own is the family's format as the template writes it; nil: models are asked in other formats only. The fields
	// up to CallsGap apply only with Own.
	Own *Format
	// ToolsAt is where the tools come.
	ToolsAt Place
	// Tools is the text around the tools.
	Tools [2]string
	// ToolsGap separates the tools from the system text, if both are in the system turn.
	ToolsGap string
	// Results is the text around the results.
	Results [2]string
	// CallsGap is the line feeds before calls.
	CallsGap string
	// Resumes is how the assistant's turn begins after results.
	Resumes Resumption
	// Layout is how the template writes today's date, with DD, MM or MONTH, and YYYY.
	Layout string
	// Date is the template's default date.
	Date string
}

// Piece is a text of a template that is written under a condition. $DATE in it is the date.
type Piece struct {
	Text string
	If   Condition
}

// Condition is when a [Piece] is written.
type Condition uint8

// The conditions.
const (
	Always     Condition = iota
	IfTools              // there are tools, written as the template has them
	IfThinking           // the model is asked to think
	IfNot                // the model is not asked to think
	IfDated              // the date is known
)

// Place is where a text comes in a prompt.
type Place uint8

// The places.
const (
	InSystem    Place = iota // in the system turn
	InFirstUser              // at the start of the user's first text
	InLastUser               // at the start of the user's last text
	BeforeAll                // before the system turn
	AfterSystem              // after the system turn
	BeforeLast               // before the last user turn
)

// Trims is a set of texts to trim.
type Trims uint8

// The texts.
const (
	TrimSystem Trims = 1 << iota
	TrimUser
	TrimAssistant
	TrimAll = TrimSystem | TrimUser | TrimAssistant
)

// Resumption is how the assistant's turn begins after results.
type Resumption uint8

// The kinds of resumption.
const (
	WithTurn    Resumption = iota // as after a text of the user
	WithMark                      // with only the mark of thinking
	WithNothing                   // the model writes directly after the results
	InTurn                        // the same, and the results are inside the assistant's turn, after the calls
)

// TemplateThinking is how a template marks thinking (docs/reference/raw-prompts.md §4.3).
type TemplateThinking struct {
	// On ends the prompt if the model is asked to think. Off ends it otherwise.
	On, Off string
	// Prefill replaces Off before text that the model continues; "" means Off.
	Prefill string
	// Always: the template cannot turn thinking off.
	Always bool
	// OffUser comes after each text of the user, if the model is not asked to think.
	OffUser string
	// Past is the text around past thinking that the prompt keeps.
	Past [2]string
	// None replaces thinking in a turn that has none, if the prompt keeps the thinking of that turn.
	None string
	// NoneOff replaces None, if the model is not asked to think; "" means None.
	NoneOff string
	// Earlier replaces thinking in turns whose thinking the prompt drops. If such a turn had thinking, Dropped is
	// written instead; "" means Earlier.
	Earlier, Dropped string
	Keeps            Keeping
}

// Keeping is which past thinking a prompt keeps.
type Keeping uint8

// The kinds of keeping. A round begins with a text of the user.
const (
	KeepRound     Keeping = iota // the thinking of the last round
	KeepAll                      // all thinking
	KeepNone                     // no thinking
	KeepWithTools                // all thinking if the request has tools, otherwise the thinking of the last round
)

// chatTemplates are all templates. If several fit a model equally well, the first counts.
var chatTemplates = slices.Concat(chatMLTemplates, llamaTemplates, mistralTemplates, deepseekTemplates, glmTemplates, otherTemplates, plainTemplates)

// ChatTemplateNames returns the names of the templates.
func ChatTemplateNames() []string {
	names := make([]string, len(chatTemplates))
	for i, t := range chatTemplates {
		names[i] = t.Name
	}
	return names
}

// ChatTemplateNamed returns the template with this name.
func ChatTemplateNamed(name string) (*ChatTemplate, error) {
	for _, t := range chatTemplates {
		if t.Name == name {
			return t, nil
		}
	}
	return nil, fmt.Errorf("unknown chat template %q. Use one of: %s", name, strings.Join(ChatTemplateNames(), ", "))
}

// ChatTemplateFor returns the template for a model. model is its id, or any text with the name of its family. If
// several parts of ids match, the longest counts.
func ChatTemplateFor(model string) (found *ChatTemplate, ok bool) {
	model, most := strings.ToLower(model), 0
	for _, t := range chatTemplates {
		if t.Name == model {
			return t, true
		}
		parts := t.Models
		if !t.Words { // otherwise Name is a plain word, which any id may contain
			parts = append([]string{t.Name}, parts...)
		}
		for _, part := range parts {
			if len(part) > most && strings.Contains(model, part) {
				found, most = t, len(part)
			}
		}
	}
	return found, found != nil
}

// FormatDate returns a date such as 2006-01-02 in the layout of the template.
func (t *ChatTemplate) FormatDate(date string) string {
	year, rest, _ := strings.Cut(date, "-")
	month, day, _ := strings.Cut(rest, "-")
	name := month
	if n, err := strconv.Atoi(month); err == nil && 1 <= n && n <= len(months) {
		name = months[n-1]
	}
	return strings.NewReplacer("YYYY", year, "MONTH", name, "MM", month, "DD", day).Replace(t.Layout)
}

var months = [...]string{"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"}

// FormatFor returns the format to ask a model in, if its prompt is written in the template. If name is the name of the
// template's own format, or if it is [Auto] and servers do not erase the format's markers, FormatFor returns the
// template's own format. Otherwise it returns what [For] returns.
func (t *ChatTemplate) FormatFor(name, model string) (*Format, error) {
	if t.Own != nil && (name == t.Own.Name || name == Auto && !t.Own.erased) {
		return t.Own, nil
	}
	return For(name, model)
}

// AboutTemplate describes a chat template for people who choose one.
type AboutTemplate struct {
	Name   string   // a value for [Target.ChatTemplate]
	Models []string // parts of the ids of its models; the name is one too
	Format string   // the template's own format for tools and calls; "" if it has none
	Erased bool     // servers may erase the markers of Format from answers, so [Auto] uses another format
	Thinks bool     // the template marks thinking
	Opens  bool     // the template opens thinking, if the model is asked to think
}

// AboutTemplates describes each template, in the order of [ChatTemplateNames].
func AboutTemplates() []AboutTemplate {
	list := make([]AboutTemplate, len(chatTemplates))
	for i, t := range chatTemplates {
		a := AboutTemplate{Name: t.Name, Models: slices.Clone(t.Models), Thinks: t.Thinking != nil}
		if t.Own != nil {
			a.Format, a.Erased = t.Own.Name, t.Own.erased
		}
		a.Opens = a.Thinks && t.Thinking.On != ""
		list[i] = a
	}
	return list
}
