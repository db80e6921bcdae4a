package answer

import (
	"bytes"

	"dragoman/translate/answer/completion"
	"dragoman/translate/messages"
	"dragoman/translate/prompt"
)

// Trace reads one completion as [Events] does, and shows for every piece what the parser made of it. It is
// a tool for people: it keeps the completion's spans, so it takes more time and memory than Events. Its
// events are the same as those of Events. The final result does not depend on how the completion is cut
// into pieces.
type Trace struct {
	reader  *reader
	events  []messages.Event // of the current step
	noted   int              // number of outcomes in earlier steps
	text    completion.Text  // counts the bytes of the completion
	size    int              // bytes of the completion so far
	settled int              // the previous step had decided the text up to this offset
}

// Step is the result of one piece of a completion.
type Step struct {
	// End is how much of the completion has arrived, in bytes. Each byte that is not UTF-8 counts as
	// U+FFFD. An incomplete character at the end does not count yet.
	End int `json:"end"`
	// State is what the parser is reading: a name from the package's documentation.
	State string `json:"state"`
	// From is where Spans begin. The text before it is unchanged since the previous step.
	From int `json:"from"`
	// Spans classify the completion between From and End.
	Spans []completion.Span `json:"spans"`
	// Events are the new events, in order.
	Events []messages.Event `json:"-"`
	// Outcomes are the outcomes of calls that ended in this step.
	Outcomes []messages.Outcome `json:"-"`
	// Done: the message has ended. Later text is not part of it.
	Done bool `json:"done"`
}

// NewTrace returns a Trace of an answer to prompt, which [Render] made from req. The model is not asked
// again: an answer that stopped at a tag in a value ends there.
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

// Read reads the next chunk of the answer. The last chunk has a Stop.
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

// step returns the changes since the previous step.
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

// clip converts an offset in the parser's input to an offset in the completion so far. The parser's input
// may have an opening before the completion, and after it the tag where the upstream stopped.
func (t *Trace) clip(offset int) int {
	if !t.reader.opened {
		return 0
	}
	return min(max(offset-len(t.reader.text.opening), 0), t.size)
}

// Add adds a span that ends at an offset.
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

// reads returns the name of the current state, as in the package's documentation.
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
