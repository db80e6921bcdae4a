package answer

import (
	"bytes"

	"dragoman/translate/answer/completion"
	"dragoman/translate/messages"
	"dragoman/translate/prompt"
)

// Trace reads one completion as [Events] does, and says of every piece what the parser made of it. It
// keeps what was read of the completion, and is for people to look at: it takes more time and memory.
// The events are those of Events, and what is said of the completion in the end does not depend on
// its pieces.
type Trace struct {
	reader  *reader
	events  []messages.Event // of the step that is being made
	noted   int              // how many outcomes were told of
	text    completion.Text  // counts the bytes of the completion
	size    int              // that count
	settled int              // what stands after this was not decided on in the step before
}

// Step is what one piece of a completion led to.
type Step struct {
	// End is how much of the completion has come, in bytes. In place of each byte that is not UTF-8
	// stands U+FFFD, and a character that is not whole yet is not counted.
	End int `json:"end"`
	// State is what the parser is reading, by the names of the package's documentation.
	State string `json:"state"`
	// From is where Spans begin. What stands before is as it was after the step before.
	From int `json:"from"`
	// Spans say what the completion is from From to End.
	Spans []completion.Span `json:"spans"`
	// Events are those that came out, in their order.
	Events []messages.Event `json:"-"`
	// Outcomes say how calls were read that have ended.
	Outcomes []messages.Outcome `json:"-"`
	// Done says that the message has ended. What follows is no part of it.
	Done bool `json:"done"`
}

// NewTrace returns a Trace of an answer to prompt, which is what [Render] made of req. The model is
// not asked again: an answer that stopped at a tag in a value ends there.
func NewTrace(req *messages.Request, prompt *prompt.Prompt) *Trace {
	once := *prompt
	once.Continues = false
	t := &Trace{text: completion.New()}
	t.reader = newReader(req, &once, new(budget), func(e messages.Event, _ error) bool {
		e.Text = bytes.Clone(e.Text)
		t.events = append(t.events, e)
		return true
	})
	t.reader.in.Seen = &completion.Spans{}
	return t
}

// Read reads the next chunk of the answer. The last one has a Stop.
func (t *Trace) Read(c prompt.Chunk) Step {
	t.text.Add(c.Completion())
	if c.Stop != "" {
		t.text.End()
	}
	t.text.TakeAll(completion.SpanText)
	t.text.Compact()
	t.size = t.text.Offset()
	if !t.reader.out.Stopped {
		t.reader.readChunk(&c)
	}
	return t.step()
}

// step returns what has changed since the step before.
func (t *Trace) step() Step {
	r := t.reader
	step := Step{
		End: t.size, State: r.reads(), Events: t.events, Outcomes: r.outcomes[t.noted:len(r.outcomes):len(r.outcomes)],
		Done: r.out.Stopped,
	}
	t.events, t.noted = nil, len(r.outcomes)
	seen, read := r.in.Seen, r.in.Offset()
	settled, waits := read, completion.SpanHeld
	switch {
	case step.Done:
		waits = completion.SpanDropped
	case r.in.IsMarked():
		settled = r.in.MarkOffset()
	case r.state == inTags && r.tags.IsDoubtful():
		waits = completion.SpanDoubt
	}
	from := min(seen.Same, t.settled)
	step.From = t.clip(from)
	for _, e := range seen.List[seen.Index(from):] {
		step.Add(t.clip(min(e.End, settled)), e.Kind)
	}
	step.Add(t.clip(read), completion.SpanHeld)
	step.Add(t.size, waits)
	seen.Same, t.settled = read, settled
	return step
}

// clip returns an offset in all that was fed as one in the completion, of what has come of it: an
// opening stands before it, and after it the tag at which the upstream has stopped.
func (t *Trace) clip(offset int) int {
	if !t.reader.opened {
		return 0
	}
	return min(max(offset-len(t.reader.text.opening), 0), t.size)
}

// Add adds a span up to an offset.
func (s *Step) Add(end int, kind completion.SpanKind) {
	last := s.From
	if n := len(s.Spans); n > 0 {
		last = s.Spans[n-1].End
	}
	switch n := len(s.Spans); {
	case end <= last:
	case n > 0 && s.Spans[n-1].Kind == kind:
		s.Spans[n-1].End = end
	default:
		s.Spans = append(s.Spans, completion.Span{End: end, Kind: kind})
	}
}

// reads returns the name of what is being read, as in the package's documentation.
func (p *parser) reads() string {
	if p.state == inTags {
		return p.tags.State()
	}
	return stateNames[p.state]
}

// stateNames are the names of the states.
var stateNames = [...]string{
	wait: "wait", inText: "inText", afterThinking: "afterThinking", inRehearsal: "inRehearsal", inWrapper: "inWrapper",
	atInvoke: "atInvoke", atToolName: "atToolName", inTags: "inTags",
	atJSONName: "atJSONName", inJSONCall: "inJSONCall", afterJSONCall: "afterJSONCall", betweenCalls: "betweenCalls",
	atFenceEnd: "atFenceEnd", inBrokenCall: "inBrokenCall", inForeignBlock: "inForeignBlock", afterAnswer: "afterAnswer",
}
