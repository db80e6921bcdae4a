package answer

import (
	"context"
	"errors"
	"slices"
	"strings"

	"dragoman/translate/answer/completion"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"dragoman/translate/prompt"
)

// How Dragoman reads the chunks of one answer, and when it asks the model to continue the answer.
//
// A model may write our stop sequence as text: print("</function_calls>") in a value, or the tag in
// Markdown code. The upstream stops there anyway. If the model takes a prefill, Dragoman asks it to
// continue after the tag, and reads the new text as more of the same completion:
//
//	…<code>print("</function_calls>     the upstream stops
//	")</code>\n</parameters>…           the model continues
//
// Within a call, Dragoman asks only if the tag would be text of the open value (wouldBeText). It does not
// ask between parameters, after a closing tag that could end the value, or in a value that is complete
// without a closing tag (a number, a JSON object). There, the model has more likely left out the closing
// tags of the call. Dragoman then reads the call as if they were there.
//
// The model may leave out the closing tags within a string, too. So the reader withholds the tag from the
// parser until the model writes more than white space after it. If the model does not, or if the upstream
// fails, the tag ends the call as if Dragoman had not asked.

// ErrNoStop is the error for an upstream that ended its chunks without a Stop. The answer may be cut off,
// so it must not look complete.
var ErrNoStop = errors.New("the upstream ended its answer without a stop reason")

// MaxContinued is the longest completion that Dragoman keeps as a prefill to continue from, in bytes. No
// supported model writes more in one answer. A model that has written more is not asked to continue.
const MaxContinued = 1 << 20

// reader reads the chunks of one answer, including those that the model writes when it is asked to
// continue.
type reader struct {
	*parser
	again   *budget
	leaks   leaks
	started bool
	opened  bool           // the parser has the opening of the forced call, or no call is forced: see readOpened
	kept    string         // the completion so far, until opened is true
	begins  string         // [Target.Thinking]: whether the completion begins in thinking
	unread  []byte         // the completion so far, as long as it has no call: see keepUnread
	size    int            // bytes of completion and thinking since the last prompt
	asked   int            // estimated tokens of the last prompt
	usage   messages.Usage // tokens since the last prompt
	spent   messages.Usage // tokens before the last prompt
	guessed bool           // spent and usage are partly estimates

	// Only for a model that can continue from a prefill.
	prompt     *prompt.Prompt  // the first prompt; nil if the model cannot be asked to continue
	said       strings.Builder // the completion so far, with the tags where the upstream stopped
	withheld   int             // bytes at the end of said that the parser does not have: the tag and white space
	continued  bool            // the model was asked to continue
	tokensLeft int             // the unused part of the prompt's MaxTokens
}

func newReader(req *messages.Request, prompt *prompt.Prompt, again *budget, yield func(messages.Event, error) bool) *reader {
	r := &reader{parser: newParser(req, prompt, yield), again: again}
	r.leaks.looks = prompt.ToolAPI != nil
	r.begins, r.unread = r.text.opened, []byte(r.text.prefill)
	if prompt.Continues && r.mayCall {
		asked := *prompt
		asked.Source, asked.Schemas, asked.Tools = nil, nil, nil // the upstream needs none of them
		r.prompt, r.tokensLeft = &asked, prompt.MaxTokens
	}
	return r
}

// read asks the model and reads the answer. It returns nil at the end of the message. If the model has to
// continue first, it returns the prompt for that.
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

// readChunk reads one chunk. The last chunk ends the message. If the model has to continue instead,
// readChunk returns the prompt for that.
func (r *reader) readChunk(c *prompt.Chunk) (next *prompt.Prompt) {
	if c.Usage != (messages.Usage{}) {
		r.usage.Merge(c.Usage)
	}
	if !r.started {
		r.start()
	}
	if c.Repeats { // so that the opening is not read twice
		r.text.beganAgain = true
	}
	r.size += len(c.Text) + len(c.Thinking)
	if len(c.Calls) > 0 {
		r.settleLeaks(true)
	}
	for i := range c.Calls {
		r.readCall(&c.Calls[i], c.Cuts(i))
	}
	if c.Thinking != "" && !r.continued && r.opened { // thinking comes before the answer, not within it
		r.writeThinking(c.Thinking)
	}
	if c.Text != "" || c.Stop != "" {
		r.endThinking()
	}
	if c.Text != "" {
		r.leaks.read(c.Text, r.readUnleaked, r.isBusy)
	}
	if c.Stop != "" {
		r.settleLeaks(false)
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

// start sends message_start. The client never sees the part of the prefill that opens a call (readOpened).
// Of the client's own prefill, the parser only needs to know whether it leaves Markdown code or thinking
// open.
func (r *reader) start() {
	r.started = true
	usage := r.usage // a copy without the estimate: totals only grow, and the upstream may report less later
	estimated := completeInput(&usage, r.asked)
	r.out.StartMessage(r.req.Model, usage, estimated)
	if r.opened = r.text.opening == ""; r.opened {
		r.noteQuotes(r.text.prefill)
	}
}

// stopMessage ends the message. The upstream has reported stop and sequence.
func (r *reader) stopMessage(stop messages.Stop, sequence string) {
	stop, sequence = r.calls.stopReason(stop, sequence, r.format.IsOurs(stop, sequence))
	r.noteUnread()
	var leftOut, unmet []string
	if r.hid {
		leftOut = []string{messages.BlockThinking}
	}
	if stop == messages.StopEndTurn && !r.out.TextBegun && !r.calls.opened && r.text.prefill == "" && len(r.outcomes) == 0 {
		r.outcomes = append(r.outcomes, messages.Outcome{Kind: messages.OutcomeEmpty, InText: true})
		unmet = []string{messages.UnmetAnswer}
	}
	r.out.StopMessage(&messages.Message{
		LeftOut: leftOut, Unmet: unmet,
		StopReason: stop, StopSequence: sequence, Usage: r.spent.Plus(r.usage), UsageEstimated: r.guessed, Outcomes: r.outcomes,
		Continued: r.text.opening != "" && !r.text.beganAgain,
	})
}

// settleLeaks decides on the tags that are held back: see leaks.take.
func (r *reader) settleLeaks(called bool) {
	if text, leaked := r.leaks.take(called); text != "" {
		r.readUnleaked(text, leaked)
	}
}

// readUnleaked reads text of the completion, or drops leaked tags. All text before leaked tags is then complete.
func (r *reader) readUnleaked(text string, leaked bool) {
	if !leaked {
		r.readCompletion(text)
		return
	}
	if r.settleText(); !r.ended {
		r.in.Add(text)
		r.in.TakeAll(completion.SpanDropped)
		r.in.Compact()
	}
}

// isBusy reports whether the text so far has an open call, or is not with the parser yet.
func (r *reader) isBusy() bool {
	return r.call.begun || r.out.OpenKind == messages.BlockToolUse || !r.opened || r.withheld > 0
}

// readCompletion reads text of the completion. It keeps the text as long as the model can be asked to
// continue it. While a tag is withheld, white space after the tag is withheld, too.
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

// resume gives the withheld text to the parser, because the model has continued.
func (r *reader) resume() {
	said := r.said.String()
	text := said[len(said)-r.withheld:]
	r.withheld = 0
	r.call.continued = true
	r.feed(text)
}

// readStop reads why the upstream stopped. It ends the message. If the model has to continue instead,
// readStop returns the prompt for that.
func (r *reader) readStop(stop messages.Stop, sequence string) *prompt.Prompt {
	saysCall := stop == messages.StopToolUse
	if saysCall {
		stop = messages.StopEndTurn
	}
	if stop == messages.StopSequence && sequence == prompt.HumanMarker && !slices.Contains(r.req.StopSequences, sequence) {
		stop, sequence = messages.StopEndTurn, "" // the wire added this sequence: the model had finished its turn
	}
	if !r.opened {
		r.readOpened("", true)
	}
	if r.withheld > 0 {
		if sequence != r.format.StopSequence {
			r.giveUp()
			return nil
		}
		r.resume() // the model wrote the tag again, so the first tag was text
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

// fail returns the upstream's error. There is one exception: if the model was asked to continue and has not
// done so yet, fail ends the message instead, because the earlier part of the answer had an end.
func (r *reader) fail(err error) error {
	if r.withheld == 0 || errors.Is(err, context.Canceled) {
		return err
	}
	r.giveUp()
	return nil
}

// giveUp ends the message as if the model had not been asked to continue.
func (r *reader) giveUp() {
	r.withheld = 0
	r.finish(messages.StopSequence, r.format.StopSequence)
	r.stopMessage(messages.StopSequence, r.format.StopSequence)
}

// isStoppedInText reports whether the upstream stopped at a tag that the model wrote as text. In prose,
// this is only certain if the upstream names the tag. Otherwise the model may simply have finished.
func (r *reader) isStoppedInText(stop messages.Stop, sequence string) bool {
	switch {
	case !r.format.IsOurs(stop, sequence):
		return false
	case r.call.begun && !r.call.openFence:
		return r.wouldBeText(r.format.StopSequence)
	}
	return sequence == r.format.StopSequence && r.text.code.isOpen()
}

// continuation returns the prompt that asks the model to continue after the tag, and withholds the tag from
// the parser. It returns nil if the model must not be asked: it takes no prefill, its tokens are used up,
// or the limit on continuations is reached.
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

// completeUsage estimates token counts that the upstream has not reported for one answer. left: Dragoman
// disconnected before the upstream had finished, so the upstream may have reported only part of the output.
func (r *reader) completeUsage(left bool) {
	r.guessed = completeInput(&r.usage, r.asked) || r.guessed
	if written := prompt.EstimateTokens(r.size); r.usage.OutputTokens < written && (left || r.usage.OutputTokens == 0) {
		r.usage.OutputTokens, r.guessed = written, true
	}
}

// completeInput sets the input tokens to an estimate if the upstream has reported none. It reports whether
// it did.
func completeInput(u *messages.Usage, estimate int) bool {
	if u.PromptTokens() > 0 || estimate == 0 {
		return false
	}
	u.InputTokens = estimate
	return true
}
