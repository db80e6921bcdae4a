package format

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// ChatTemplate says how a family of models has a conversation written as one string: data, beside the format of the
// family (docs/reference/raw-prompts.md §4). Each pair of strings stands before and behind what it is for.
type ChatTemplate struct {
	Name   string
	Models []string // parts of the ids of its models, in lower case; Name is one, unless it is a word

	BOS    string   // the text of the token that begins a prompt; "" for none
	Starts []Piece  // what each prompt begins with, behind BOS
	Stops  []string // what the model ends its turn with

	// System stands around the system text, at SystemAt. SystemStarts begins that text, and makes a system turn where the
	// client has no text. Without one, NoSystem stands in place of the turn.
	System       [2]string
	SystemAt     Place
	SystemStarts []Piece
	NoSystem     string
	// SystemText stands around the system text, and not around the tools in the same turn. SystemGap stands between
	// two texts of it.
	SystemText [2]string
	SystemGap  string

	User, Assistant [2]string
	// Generation is what the model goes on behind, unless it is Assistant[0]. NoGeneration: it goes on right behind
	// the turn of the user.
	Generation   string
	NoGeneration bool
	// Messages has each text of the assistant stand in a message of its own, between these; NextMessage begins another
	// one in the same turn. Preamble begins a text before calls, if it is not Messages[0].
	Messages              [2]string
	NextMessage, Preamble string
	Trims                 Trims // the texts whose white space at both ends is dropped
	Alternates            bool  // a turn of the assistant never comes first

	Thinking *TemplateThinking
	// Words: turns begin with words, as plain text that begins a line. Text of the client must not begin one so.
	Words bool

	// Own is the format of the family as the template writes it; nil if a model is asked in none. With it, tools stand at
	// ToolsAt between Tools; in the system turn, ToolsGap stands between them and the system text. Results stand between
	// Results. CallsGap are the line feeds before calls.
	Own      *Format
	ToolsAt  Place
	Tools    [2]string
	ToolsGap string
	Results  [2]string
	CallsGap string
	// Resumes says how the assistant's turn begins behind results.
	Resumes Resumption
	// Layout is how the template writes the date of the day: with DD, MM or MONTH, and YYYY. Date is its own date.
	Layout, Date string
}

// Piece is a text of a template that stands where a condition holds. $DATE in it is the date.
type Piece struct {
	Text string
	If   Condition
}

// Condition says when a [Piece] stands.
type Condition uint8

// The conditions.
const (
	Always     Condition = iota
	IfTools              // tools stand as the template has them
	IfThinking           // the model is asked to think
	IfNot                // it is not
	IfDated              // the date is known
)

// Place is where a text stands.
type Place uint8

// The places.
const (
	InSystem    Place = iota // in the system turn
	InFirstUser              // at the beginning of the first text of the user
	InLastUser               // at the beginning of the last
	BeforeAll                // before the system turn
	AfterSystem              // behind it
	BeforeLast               // before the last turn of the user
)

// Trims is a set of texts.
type Trims uint8

// The texts.
const (
	TrimSystem Trims = 1 << iota
	TrimUser
	TrimAssistant
	TrimAll = TrimSystem | TrimUser | TrimAssistant
)

// Resumption is how the assistant's turn begins behind results.
type Resumption uint8

// The ways.
const (
	WithTurn    Resumption = iota // as behind a text of the user
	WithMark                      // with the mark of thinking alone
	WithNothing                   // the model goes on right behind the results
	InTurn                        // so it does, and the results stand in the turn of the assistant with the calls
)

// TemplateThinking is how a template marks thinking (docs/reference/raw-prompts.md §4.3).
type TemplateThinking struct {
	// On and Off end the generation prompt when the model is asked to think, or not to. Prefill ends it before text that
	// the model continues, if that is not Off. Always: the template cannot turn thinking off.
	On, Off, Prefill string
	Always           bool
	// OffUser stands behind each text of the user when the model is not asked to think.
	OffUser string
	// Past stands around past thinking that is kept. In a turn without any, None stands in its place; NoneOff, if it is
	// not "" and the model is not asked to think.
	Past          [2]string
	None, NoneOff string
	// Earlier stands in turns of rounds whose thinking is dropped; Dropped, if it is not "", where there was some.
	Earlier, Dropped string
	Keeps            Keeping
}

// Keeping says which past thinking stays in the prompt.
type Keeping uint8

// The kinds.
const (
	KeepRound     Keeping = iota // that since the last text of the user
	KeepAll                      // all
	KeepNone                     // none
	KeepWithTools                // all if tools are declared, else that since the last text of the user
)

// chatTemplates are all templates; the first one of several that fit a model as well counts.
var chatTemplates = slices.Concat(chatMLTemplates, llamaTemplates, mistralTemplates, deepseekTemplates, glmTemplates, otherTemplates, plainTemplates)

// ChatTemplateNames returns the names of the templates.
func ChatTemplateNames() []string {
	names := make([]string, len(chatTemplates))
	for i, t := range chatTemplates {
		names[i] = t.Name
	}
	return names
}

// ChatTemplateNamed returns the template of that name.
func ChatTemplateNamed(name string) (*ChatTemplate, error) {
	for _, t := range chatTemplates {
		if t.Name == name {
			return t, nil
		}
	}
	return nil, fmt.Errorf("unknown chat template %q: known are %s", name, strings.Join(ChatTemplateNames(), ", "))
}

// ChatTemplateFor returns the template of a model, by its id or anything else that contains the name of its family.
// Of several parts of ids, the longest counts.
func ChatTemplateFor(model string) (found *ChatTemplate, ok bool) {
	model, most := strings.ToLower(model), 0
	for _, t := range chatTemplates {
		if t.Name == model {
			return t, true
		}
		parts := t.Models
		if !t.Words { // whose names are words
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

// FormatDate returns a date, as 2006-01-02, in the layout of the template.
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

// FormatFor returns the format in which a model is asked behind the template: the template's own writing of its family's
// format if that is asked for by name, or if auto stands for it; otherwise the format that [For] returns.
func (t *ChatTemplate) FormatFor(name, model string) (*Format, error) {
	if t.Own != nil && (name == t.Own.Name || name == Auto && !t.Own.erased) {
		return t.Own, nil
	}
	return For(name, model)
}

// AboutTemplate is what there is to know of a chat template, for people who choose one.
type AboutTemplate struct {
	Name   string   // as [Target.ChatTemplate] takes it
	Models []string // parts of the ids of its models, besides the name
	// Format is the format in which the template writes tools and calls itself; "" if a model is asked in none of its
	// own. Erased says that its markers are special tokens, which servers may erase from answers: [Auto] asks in another.
	Format string
	Erased bool
	// Thinks says that the template marks thinking; Opens that it opens thinking when the model is asked to think.
	Thinks, Opens bool
}

// AboutTemplates returns what there is to know of each template, in the order of [ChatTemplateNames].
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
