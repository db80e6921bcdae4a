package answer

import (
	"context"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"dragoman/translate/prompt"
	"errors"
	"slices"
	"strings"
)

// How the chunks of one answer are read, and when the model is asked to go on with it.
//
// A model may write our stop sequence as text: print("</function_calls>") in a value, or the tag in
// Markdown code. The upstream stops there all the same. If the model takes a prefill, it is then
// asked to go on after the tag, and what it writes is read as more of the same completion:
//
//	…<code>print("</function_calls>     the upstream stops
//	")</code>\n</parameters>…           the model goes on
//
// Within a call the model is asked only if the tag would be text of the value that is open
// (wouldBeText). Between parameters, after a closing tag that could end the value, and in a value that
// is whole without one (a number, a JSON object), the model has more likely left out the closing tags
// of the call, and they are taken as read.
//
// The model may have left them out within a string, too. So the tag is withheld from the parser until
// the model writes more than white space after it. If it does not, or if the upstream fails, the tag
// ends the call as if the model had not been asked.

// ErrNoStop is the error for an upstream that ended its chunks without a Stop. Its answer may be cut,
// and must not look whole.
var ErrNoStop = errors.New("the upstream ended its answer without a stop reason")

// MaxContinued bounds the completion that is kept as the prefill to go on from, in bytes. It is more
// than any of these models writes in one answer; a model that has written more is not asked to go on.
const MaxContinued = 1 << 20

// reader reads the chunks of one answer: the first ones, and those of a model that goes on with it.
type reader struct {
	*parser
	again   *budget
	started bool
	opened  bool           // the parser has got the opening of a forced call, if there is one: see readOpened
	kept    string         // the completion before that
	begins  string         // how thinking begins in the completion: [Target.Thinking]
	unread  []byte         // the completion so far, while there is no call in it: see keepUnread
	size    int            // bytes of completion and thinking since the model was asked last
	asked   int            // an estimate of the tokens that the model was asked last
	usage   messages.Usage // of the model since it was asked last
	spent   messages.Usage // of the model before that
	guessed bool           // a part of spent and usage is an estimate

	// For a model that can go on from a prefill.
	prompt     *prompt.Prompt  // the first prompt; nil if the model cannot be asked to go on
	said       strings.Builder // the completion so far, with the tags at which it was stopped
	withheld   int             // bytes at the end of said that the parser has not got: the tag, and white space
	continued  bool            // the model was asked to go on
	tokensLeft int             // how many of the prompt's MaxTokens are not used
}

func newReader(req *messages.Request, prompt *prompt.Prompt, again *budget, yield func(messages.Event, error) bool) *reader {
	r := &reader{parser: newParser(req, prompt, yield), again: again}
	r.begins, r.unread = r.text.opened, []byte(r.text.prefill)
	if prompt.Continues && r.mayCall {
		asked := *prompt
		asked.Source, asked.Schemas, asked.Tools = nil, nil, nil // the upstream needs none of them
		r.prompt, r.tokensLeft = &asked, prompt.MaxTokens
	}
	return r
}

// read asks the model, and reads the answer up to the end of the message. If the model has to be asked to
// go on before the message can end, it returns the prompt for that.
func (r *reader) read(prompt *prompt.Prompt, ask Ask) (next *prompt.Prompt, err error) {
	r.asked = prompt.EstimateTokens()
	chunks := ask(prompt)
	for chunk, err := range chunks {
		if err != nil {
			return nil, r.fail(err)
		}
		next = r.readChunk(&chunk)
		if !chunk.More {
			r.out.Pause()
		}
		if next != nil || r.out.Gone || r.out.Stopped {
			return next, nil
		}
	}
	return nil, r.fail(ErrNoStop)
}

// readChunk reads one chunk. With the last one the message ends, or it returns the prompt by which
// the model is asked to go on.
func (r *reader) readChunk(c *prompt.Chunk) (next *prompt.Prompt) {
	if c.Usage != (messages.Usage{}) {
		r.usage.Merge(c.Usage)
	}
	if !r.started {
		r.start()
	}
	if c.Repeats { // so the opening is not read twice
		r.text.beganAgain = true
	}
	r.size += len(c.Text) + len(c.Thinking)
	for i := range c.Calls {
		r.readCall(&c.Calls[i], c.Cuts(i))
	}
	if c.Thinking != "" && !r.continued && r.opened { // thinking stands before the answer, not within it
		r.writeThinking(c.Thinking)
	}
	if c.Text != "" || c.Stop != "" {
		r.endThinking()
	}
	if c.Text != "" {
		r.readCompletion(c.Text)
	}
	switch {
	case r.out.Gone:
	case r.ended:
		r.completeUsage(true)
		r.stopMessage(messages.StopEndTurn, "")
	case c.Stop != "":
		r.completeUsage(c.Left)
		return r.readStop(c.Stop, c.StopSequence)
	}
	return nil
}

// start opens the message. The client never sees the part of the prefill that opens a call (readOpened).
// Of the client's own prefill it only matters what that leaves open.
func (r *reader) start() {
	r.started = true
	usage := r.usage // without the estimate: totals only grow, and what the upstream tells later may be less
	estimated := completeInput(&usage, r.asked)
	r.out.StartMessage(r.req.Model, usage, estimated)
	if r.opened = r.text.opening == ""; r.opened {
		r.noteQuotes(r.text.prefill)
	}
}

// stopMessage ends the message. stop and sequence are what the upstream said.
func (r *reader) stopMessage(stop messages.Stop, sequence string) {
	stop, sequence = r.calls.stopReason(stop, sequence, r.format.IsOurs(stop, sequence))
	r.noteUnread()
	var leftOut []string
	if r.hid {
		leftOut = []string{messages.BlockThinking}
	}
	r.out.StopMessage(&messages.Message{
		LeftOut:    leftOut,
		StopReason: stop, StopSequence: sequence, Usage: r.spent.Plus(r.usage), UsageEstimated: r.guessed, Outcomes: r.outcomes,
		Continued: r.text.opening != "" && !r.text.beganAgain,
	})
}

// readCompletion reads text of the completion. It keeps the text while the model can be asked to go
// on with it. While text is withheld, white space is, too.
func (r *reader) readCompletion(s string) {
	r.keepUnread(s)
	if r.prompt != nil {
		r.said.WriteString(s)
	}
	if r.withheld == 0 {
		r.readOpened(s, false)
	} else {
		r.withheld += len(s)
		if markup.SkipBlanks(s, 0, len(s)) == len(s) && r.withheld <= MaxBlank {
			return
		}
		r.resume()
	}
	if r.said.Len() > MaxContinued {
		r.prompt = nil
		r.said.Reset()
	}
}

// resume gives the parser the text that was withheld, now that the model has gone on.
func (r *reader) resume() {
	said := r.said.String()
	text := said[len(said)-r.withheld:]
	r.withheld = 0
	r.call.continued = true
	r.feed(text)
}

// readStop reads why the upstream stopped. It ends the message, or returns the prompt by which the
// model is asked to go on.
func (r *reader) readStop(stop messages.Stop, sequence string) *prompt.Prompt {
	saysCall := stop == messages.StopToolUse
	if saysCall {
		stop = messages.StopEndTurn
	}
	if stop == messages.StopSequence && sequence == prompt.HumanMarker && !slices.Contains(r.req.StopSequences, sequence) {
		stop, sequence = messages.StopEndTurn, "" // of the wire: the model had no more to say
	}
	if !r.opened {
		r.readOpened("", true)
	}
	if r.withheld > 0 {
		if sequence != r.format.StopSequence {
			r.giveUp()
			return nil
		}
		r.resume() // the model wrote the tag again, so the first one was text
	}
	if r.isStoppedInText(stop, sequence) {
		if next := r.continuation(); next != nil {
			return next
		}
	}
	r.finish(stop, sequence)
	r.noteLost(saysCall, stop == messages.StopEndTurn || r.format.IsOurs(stop, sequence))
	r.stopMessage(stop, sequence)
	return nil
}

// fail returns the error of an upstream. But if the model had been asked to go on and had not yet,
// it ends the message instead: the answer before had an end.
func (r *reader) fail(err error) error {
	if r.withheld == 0 || errors.Is(err, context.Canceled) {
		return err
	}
	r.giveUp()
	return nil
}

// giveUp ends the message as if the model had not been asked to go on.
func (r *reader) giveUp() {
	r.withheld = 0
	r.finish(messages.StopSequence, r.format.StopSequence)
	r.stopMessage(messages.StopSequence, r.format.StopSequence)
}

// isStoppedInText reports whether the upstream stopped at a tag that the model wrote as text. In prose
// the upstream has to name the tag: without a name, the model may have come to its own end.
func (r *reader) isStoppedInText(stop messages.Stop, sequence string) bool {
	switch {
	case !r.format.IsOurs(stop, sequence):
		return false
	case r.call.begun && !r.call.openFence:
		return r.wouldBeText(r.format.StopSequence)
	}
	return sequence == r.format.StopSequence && r.text.code.isOpen()
}

// continuation returns the prompt by which the model is asked to go on after the tag, and withholds
// the tag from the parser. It returns nil if the model must not be asked: it takes no prefill, its
// tokens are used up, or it has been asked again often enough.
func (r *reader) continuation() *prompt.Prompt {
	written := r.usage.OutputTokens
	if r.prompt == nil || written >= r.tokensLeft || !r.again.spend(prompt.ReasonStopped) {
		return nil
	}
	r.continued = true
	r.tokensLeft -= written
	r.spent, r.usage, r.size = r.spent.Plus(r.usage), messages.Usage{}, 0
	r.said.WriteString(r.format.StopSequence)
	r.withheld = len(r.format.StopSequence)
	return r.prompt.ContinuedFrom(r.said.String(), r.tokensLeft)
}

// completeUsage estimates what the upstream has not told of the tokens of one answer. left says that the
// upstream was left before the end of its answer, so that what it has told of the output is not all.
func (r *reader) completeUsage(left bool) {
	r.guessed = completeInput(&r.usage, r.asked) || r.guessed
	if written := prompt.EstimateTokens(r.size); r.usage.OutputTokens < written && (left || r.usage.OutputTokens == 0) {
		r.usage.OutputTokens, r.guessed = written, true
	}
}

// completeInput sets the tokens of the input to an estimate, if the upstream has told none, and reports
// whether it did.
func completeInput(u *messages.Usage, estimate int) bool {
	if u.PromptTokens() > 0 || estimate == 0 {
		return false
	}
	u.InputTokens = estimate
	return true
}
