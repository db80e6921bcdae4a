package prompt

import (
	"context"
	"dragoman/translate/language"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"fmt"
	"slices"
	"strings"
)

// Where the parts of a prompt are from. The steps of Render note it while they write, if somebody asks:
// the texts of the client as the escaper sees them, and all else as markup of what is being rendered.

// Origins say where the text of a prompt is from: for each text of it a list that covers it all.
type Origins struct {
	System [][]Origin      `json:"system"` // of [Prompt.System]
	Turns  [][]PartOrigins `json:"turns"`  // of the parts of [Prompt.Turns]
}

// PartOrigins say where a [Part] is from.
type PartOrigins struct {
	Text    []Origin `json:"text,omitzero"`
	Title   []Origin `json:"title,omitzero"`
	Context []Origin `json:"context,omitzero"`
	// Source is the block that an image or a document is.
	Source string `json:"source,omitzero"`
}

// Origin says where a part of a text is from. It begins where the one before it ends.
type Origin struct {
	End  int        `json:"end"` // in bytes
	Kind OriginKind `json:"kind"`
	// Source is what it was made of, as the path of an [messages.InvalidRequestError] says it:
	// "system.0", "tools.2", "messages.3.content.0". A string where blocks may stand counts as a list of
	// one. It is "" for what is said whatever the client asks.
	Source string `json:"source,omitzero"`
}

// OriginKind is what a part of a prompt is.
type OriginKind uint8

// The kinds of an [Origin].
const (
	OriginMarkup OriginKind = iota // of the format, or words of this package
	OriginClient                   // text of the client, as it is
	OriginEscape                   // an entity that stands for one byte of such a text
)

// originNames are the names of the kinds.
var originNames = [...]string{OriginMarkup: "markup", OriginClient: "client", OriginEscape: "escape"}

// String returns the name of the kind, as in JSON.
func (k OriginKind) String() string { return originNames[k] }

// MarshalText returns the name of the kind.
func (k OriginKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// RenderOrigins is [RenderContext], and says of the prompt where it is from. It is for people to look at,
// and takes more time: [Target.Memo] is not used.
func RenderOrigins(ctx context.Context, req *messages.Request, target Target) (*Prompt, *Origins, error) {
	target.Memo = nil
	o := &origins{}
	prompt, err := render(ctx, req, target, o)
	if err != nil {
		return nil, nil, err
	}
	return prompt, &o.made, nil
}

// origins notes where what is rendered is from. A nil *origins notes nothing.
type origins struct {
	path  []string // where in the request what is being rendered stands
	at    string   // the path, joined
	list  []Origin // of the text that is being made
	parts []PartOrigins
	made  Origins

	pending []string // where the pending texts of the turn are from
	pieces  []Origin // of the text that is escaped next, before it is escaped; none if it is one
}

// watch returns the function that sees what is escaped.
func (o *origins) watch() func(int, string, []markup.Entity) {
	if o == nil {
		return nil
	}
	return o.escaped
}

// to sets where in the request what follows stands.
func (o *origins) to(path string) {
	if o == nil {
		return
	}
	if o.path, o.at = o.path[:0], path; path != "" {
		o.path = append(o.path, path)
	}
}

// enter begins what stands in an element of the member, behind n bytes of the text that is being made.
func (o *origins) enter(n int, member string, index int) {
	if o == nil {
		return
	}
	o.fill(n)
	o.path = append(o.path, elementOf(member, index))
	o.at = strings.Join(o.path, ".")
}

// enterTool is enter for a tool.
func (o *origins) enterTool(n int, t *messages.Tool) {
	if o == nil {
		return
	}
	o.fill(n)
	o.path = append(o.path, "") // leave takes it back
	o.at = t.Path()
}

// elementOf returns the path of an element of a list.
func elementOf(member string, index int) string {
	if member == "" {
		return fmt.Sprint(index)
	}
	return fmt.Sprintf("%s.%d", member, index)
}

// leave ends what the last enter has begun.
func (o *origins) leave(n int) {
	if o == nil {
		return
	}
	o.fill(n)
	o.path = o.path[:len(o.path)-1]
	o.at = strings.Join(o.path, ".")
}

// fill notes that the text that is being made has n bytes, and that those of which nothing is known are
// markup.
func (o *origins) fill(n int) {
	for i := len(o.list) - 1; i >= 0 && o.list[i].End > n; i-- { // what is longer was taken back
		if o.list[i].End = n; startOf(o.list, i) >= n {
			o.list = o.list[:i]
		}
	}
	o.add(n, OriginMarkup, o.at)
}

// add adds an origin up to an offset of the text.
func (o *origins) add(end int, kind OriginKind, source string) {
	n := len(o.list)
	switch {
	case startOf(o.list, n) >= end:
	case n > 0 && kind != OriginEscape && o.list[n-1].Kind == kind && o.list[n-1].Source == source:
		o.list[n-1].End = end
	default:
		o.list = append(o.list, Origin{end, kind, source})
	}
}

// startOf returns where the origin of that index begins.
func startOf(list []Origin, n int) int {
	if n == 0 {
		return 0
	}
	return list[n-1].End
}

// fillOn is fill where the markup goes on with what stands before it.
func (o *origins) fillOn(n int) {
	if o == nil {
		return
	}
	at := o.at
	if last := len(o.list) - 1; last >= 0 {
		o.at = o.list[last].Source
	}
	o.fill(n)
	o.at = at
}

// note notes that n bytes from an offset on are text of the client.
func (o *origins) note(at, n int) {
	if o != nil {
		o.fill(at)
		o.add(at+n, OriginClient, o.at)
	}
}

// escaped notes a text that was escaped, which begins at an offset.
func (o *origins) escaped(at int, text string, entities []markup.Entity) {
	o.fill(at)
	pieces := o.pieces
	if len(pieces) == 0 {
		pieces = []Origin{{len(text), OriginClient, o.at}}
	}
	longer := at // by how much an offset is higher than it is in the text
	for _, p := range pieces {
		for len(entities) > 0 && entities[0].At < p.End {
			c := entities[0]
			o.add(longer+c.At, p.Kind, p.Source)
			longer += c.Len - 1
			o.add(longer+c.At+1, OriginEscape, p.Source)
			entities = entities[1:]
		}
		o.add(longer+p.End, p.Kind, p.Source)
	}
	o.pieces = o.pieces[:0]
}

// addPiece notes where the next n bytes are from of the text that will be escaped.
func (o *origins) addPiece(n int, kind OriginKind, source string) {
	if n > 0 {
		o.pieces = append(o.pieces, Origin{startOf(o.pieces, len(o.pieces)) + n, kind, source})
	}
}

// addHead notes a line of the text that will be escaped: a label, and what a member of the block says.
func (o *origins) addHead(label, member, text string) {
	if o != nil {
		o.addPiece(len(label), OriginMarkup, o.at)
		o.addPiece(len(text), OriginClient, o.at+"."+member)
		o.addPiece(len("\n"), OriginMarkup, o.at)
	}
}

// addHeadEnd notes the empty line after such lines.
func (o *origins) addHeadEnd() {
	if o != nil {
		o.addPiece(len("\n"), OriginMarkup, o.at)
	}
}

// addLines notes blocks that are lines of the text that will be escaped: see [turnWriter.joinLines].
func (o *origins) addLines(member string, first int, blocks []messages.BlockParam, l func() *language.Language) {
	if o == nil {
		return
	}
	for i := range blocks {
		source := elementOf(member, first+i+int(blocks[i].Skipped))
		if member == "source.data" {
			source = member // it is no list
		}
		if o.at != "" {
			source = o.at + "." + source
		}
		if i > 0 {
			o.addPiece(len("\n"), OriginMarkup, o.at)
		}
		if blocks[i].Type != messages.BlockToolReference {
			o.addPiece(len(blocks[i].Text), OriginClient, source)
			continue
		}
		before, after, _ := strings.Cut(l().ToolFits, "%s")
		o.addPiece(len(before), OriginMarkup, source)
		o.addPiece(len(blocks[i].Name), OriginClient, source)
		o.addPiece(len(after), OriginMarkup, source)
	}
}

// addPending notes where a text is from that is pending.
func (o *origins) addPending() {
	if o != nil {
		o.pending = append(o.pending, o.at)
	}
}

// joinPending notes that the pending texts will be escaped as one.
func (o *origins) joinPending(texts []string) {
	if o == nil {
		return
	}
	for i, s := range texts {
		if i > 0 {
			o.addPiece(len("\n"), OriginMarkup, o.pending[i])
		}
		o.addPiece(len(s), OriginClient, o.pending[i])
	}
}

// takePending notes that the pending text of that index, of n bytes, is escaped next.
func (o *origins) takePending(i, n int) {
	if o != nil && len(o.pieces) == 0 {
		o.addPiece(n, OriginClient, o.pending[i])
	}
}

// dropPending notes that no text is pending.
func (o *origins) dropPending() {
	if o != nil {
		o.pending = o.pending[:0]
	}
}

// take ends the text that is being made, which has n bytes, and returns its origins.
func (o *origins) take(n int) []Origin {
	o.fill(n)
	list := slices.Clone(o.list)
	o.list = o.list[:0]
	return list
}

// endPart ends a part that is text.
func (o *origins) endPart(n int) {
	if o != nil {
		o.parts = append(o.parts, PartOrigins{Text: o.take(n)})
	}
}

// extendPart notes that n bytes were added to the last part.
func (o *origins) extendPart(n int) {
	if o != nil {
		o.list = o.parts[len(o.parts)-1].Text
		o.parts = o.parts[:len(o.parts)-1]
		o.endPart(startOf(o.list, len(o.list)) + n)
	}
}

// endField ends the title or the context of a document, and returns its origins.
func (o *origins) endField(n int) []Origin {
	if o == nil {
		return nil
	}
	return o.take(n)
}

// endSource ends a part that is an image or a document.
func (o *origins) endSource(title, context []Origin) {
	if o != nil {
		o.parts = append(o.parts, PartOrigins{Title: title, Context: context, Source: o.at})
	}
}

// endTurn ends a turn, whose parts have been noted.
func (o *origins) endTurn() {
	if o != nil {
		o.made.Turns = append(o.made.Turns, o.parts)
		o.parts = nil
	}
}

// extendTurn notes that a part of n bytes was added to the last turn. prefill says that all of it is
// markup, and not only what the escaper has not seen.
func (o *origins) extendTurn(n int, prefill bool) {
	if o == nil {
		return
	}
	if prefill {
		o.list = o.list[:0]
	}
	last := &o.made.Turns[len(o.made.Turns)-1]
	*last = append(*last, PartOrigins{Text: o.take(n)})
}

// endSystem ends a text of the system prompt, with n bytes.
func (o *origins) endSystem(source string, n int) {
	if o != nil {
		o.to(source)
		o.made.System = append(o.made.System, o.take(n))
		o.to("")
	}
}

// moveToolsLast moves the tools, which were made first, behind all other texts of the system prompt.
func (o *origins) moveToolsLast() {
	if o != nil {
		moveToEnd(o.made.System)
	}
}

// endSystemParts ends the texts of the system prompt that were made as parts.
func (o *origins) endSystemParts() {
	if o == nil {
		return
	}
	for _, p := range o.parts {
		o.made.System = append(o.made.System, p.Text)
	}
	o.parts = nil
}
