package translate

import (
	"crypto/sha256"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"errors"
	"iter"
	"strconv"
	"strings"
)

// errNoStop is the error of an upstream that ended without saying why: its
// answer may be cut and must not look whole.
var errNoStop = errors.New("the upstream ended its answer without a stop reason")

// Ask asks an upstream, once the chunks of its answer are ranged over.
type Ask func(*Prompt) iter.Seq2[Chunk, error]

// Events asks for an answer to the prompt, when it is ranged over, and reads it as
// a Messages-API stream (reference/streaming.md). The first event comes with the
// first chunk. An error of the chunks, or their end without a Stop, ends the
// sequence with that error, after whole events. Once the answer is known to have
// ended (a call where one alone was asked for, text after the calls) no further
// chunk is taken, which cancels the upstream.
//
// If CallsEnd was the upstream's stop sequence in the middle of a value or of
// quoted code, and the prompt was rendered for a [Target] with Prefill, Events
// asks for more: with the prompt that goes on behind the tag, at most twice and
// within its MaxTokens. The usage is then the sum. An error before the model has
// gone on, unless it is [context.Canceled], leaves the answer as it was: its call
// is incomplete, which the stop_reason says. An error after that is the answer's.
func Events(req *messages.Request, prompt *Prompt, ask Ask) iter.Seq2[messages.Event, error] {
	return func(yield func(messages.Event, error) bool) {
		p := newParser(req, prompt, func(e messages.Event) bool { return yield(e, nil) })
		next := prompt
		var err error
		for next != nil && err == nil {
			next, err = p.readAll(ask(next))
		}
		if err != nil {
			p.flush()
			p.report(yield, err)
		}
	}
}

// readAll reads one answer. It returns what is to be asked to go on with it, if
// anything.
func (p *parser) readAll(chunks iter.Seq2[Chunk, error]) (next *Prompt, err error) {
	for chunk, err := range chunks {
		if err != nil {
			return nil, p.fail(err)
		}
		if next = p.take(&chunk); next != nil || p.unheard || p.ended {
			return next, nil
		}
	}
	return nil, p.fail(errNoStop)
}

// report ends the sequence with err, if anybody listens.
func (p *parser) report(yield func(messages.Event, error) bool, err error) {
	if !p.unheard {
		yield(messages.Event{}, err)
	}
}

// take reads one chunk, and ends the message with the last one, unless it returns
// what is to be asked to go on.
func (p *parser) take(c *Chunk) (next *Prompt) {
	if c.Usage != (messages.Usage{}) {
		p.usage.Merge(c.Usage)
	}
	if !p.started {
		p.start()
	}
	if c.Thinking != "" {
		p.think(c.Thinking)
	}
	if c.Text != "" {
		p.read += len(c.Text)
		p.takeText(c.Text)
	}
	switch {
	case p.unheard:
	case p.cut:
		// The upstream was left before it told how much it wrote.
		p.usage.OutputTokens = max(p.usage.OutputTokens, EstimateTokens(p.read))
		p.end(messages.StopEndTurn, "")
	case c.Stop != "":
		return p.stop(c.Stop, c.StopSequence)
	}
	return nil
}

// start opens the message and reads what a prefill has already said for the model.
func (p *parser) start() {
	p.started = true
	p.send(messages.Event{Type: messages.MessageStart, Message: &messages.Message{ID: messageID(p.req.ID), Model: p.req.Model, Usage: p.usage}})
	p.send(messages.Event{Type: messages.Ping})
	if p.opening != "" {
		p.feed(p.opening)
		if p.mark >= 0 {
			p.hidden = len(p.opening)
		}
	} else {
		p.goOnFrom(p.prefill)
	}
}

// goOnFrom notes what a prefill of the client's leaves open: code, or thinking.
func (p *parser) goOnFrom(prefill string) {
	for prefill != "" && p.offers {
		text := prefill
		if i := strings.IndexByte(prefill, '<'); i >= 0 {
			text = prefill[:max(i, 1)]
		}
		if prefill[0] == '<' {
			if t, v := markup.MatchTextTag([]byte(prefill), true); v == markup.Yes && t.Kind == markup.TextThinking && !p.quote.inside() {
				p.rehearses(t)
			}
		}
		p.quote.advance([]byte(text))
		prefill = prefill[len(text):]
	}
}

// think passes reasoning on that the upstream itself tells apart from text. In
// the middle of a call, or of what may become one, it has no place, nor where the
// model goes on with what it had begun to write.
func (p *parser) think(s string) {
	if p.inCall || p.asked > 0 || p.pos < len(p.in) || len(p.partial) > 0 {
		return
	}
	if p.open != messages.BlockThinking {
		p.openBlock(messages.ContentBlock{Type: messages.BlockThinking})
	}
	p.out = append(p.out, s...)
	p.flush()
}

// finish reads what is left when the upstream has stopped.
func (p *parser) finish(stop messages.Stop, sequence string) {
	p.cutShort = stop != messages.StopEndTurn && !p.ours(stop, sequence)
	switch {
	case p.ours(stop, sequence) && sequence == "" && p.inValueBefore(p.format.stop):
		// It may as well be that the model had no more to say: nothing tells that it
		// wrote the tag.
	case p.ours(stop, sequence) && p.inCall:
		// The upstream took the tag off that ended the calls, or, if it says so, that
		// the model quoted: with it, there is one way to read both.
		p.feed(p.format.ended)
	case sequence == p.format.stop && p.quote.inside():
		p.feed(p.format.stop)
	case stop == messages.StopSequence && sequence == invokeEnd && p.inCall && !p.inValueBefore(invokeEnd):
		p.feed(invokeEnd)
		p.cutShort = false
	}
	p.eof = true
	p.feed("")
	p.endText()
}

// invokeEnd is the end of one call: a stop sequence of some clients
// (reference/legacy-format.md §10).
const invokeEnd = "</invoke>"

// ours tells whether the stop sequence was the end of the calls. An upstream
// that does not say which one it met has met ours.
func (p *parser) ours(stop messages.Stop, sequence string) bool {
	return stop == messages.StopSequence && (sequence == p.format.stop || sequence == "")
}

// end closes the message. stop and sequence are the upstream's.
func (p *parser) end(stop messages.Stop, sequence string) {
	p.closeBlock()
	stop, sequence = p.ending(stop, sequence)
	p.send(messages.Event{Type: messages.MessageDelta, Message: &messages.Message{
		StopReason: stop, StopSequence: sequence, Usage: p.spent.Plus(p.usage), Outcomes: p.outcomes,
	}})
	p.send(messages.Event{Type: messages.MessageStop})
	p.ended = true
}

// ending is the one place that decides stop_reason and stop_sequence:
//
//	parser                upstream        client is told
//	call not at its end   client's stop   stop_sequence
//	                      our stop, end   max_tokens: the one reason by which clients
//	                                      know that the input of a tool may be cut
//	                      other           the same
//	calls                 max_tokens      max_tokens, unless the calls had ended
//	                      refusal, …      the same
//	                      other           tool_use
//	text                  our stop        end_turn
//	                      other           the same
func (p *parser) ending(stop messages.Stop, sequence string) (messages.Stop, string) {
	switch {
	case p.incomplete && (stop == messages.StopEndTurn || p.ours(stop, sequence)):
		return messages.StopMaxTokens, ""
	case p.incomplete:
		return stop, sequence
	case p.calls > 0 && (stop == messages.StopEndTurn || stop == messages.StopSequence || stop == messages.StopMaxTokens && p.callsEnded):
		return messages.StopToolUse, ""
	case p.ours(stop, sequence):
		return messages.StopEndTurn, ""
	case stop != messages.StopSequence:
		return stop, ""
	}
	return stop, sequence
}

// openBlock begins a block, ending the one before it.
func (p *parser) openBlock(b messages.ContentBlock) {
	p.closeBlock()
	p.spoken = p.spoken || b.Type != messages.BlockThinking
	p.open = b.Type
	p.send(messages.Event{Type: messages.ContentBlockStart, Index: p.index, Block: &b})
}

// closeBlock ends the open block, if there is one.
func (p *parser) closeBlock() {
	p.flush()
	if p.open == messages.BlockThinking {
		p.send(messages.Event{Type: messages.ContentBlockDelta, Delta: messages.SignatureDelta, Index: p.index})
	}
	p.stopBlock(0)
}

// stopBlock stops the open block, which was cut behind so many bytes, if not 0.
func (p *parser) stopBlock(cut int) {
	if p.open != "" {
		p.send(messages.Event{Type: messages.ContentBlockStop, Index: p.index, Cut: cut})
		p.open = ""
		p.index++
	}
}

// flush sends what the open block has gathered.
func (p *parser) flush() {
	n := len(p.out)
	if p.tentative {
		n = 0
	}
	delta := messages.TextDelta
	switch p.open {
	case messages.BlockToolUse:
		delta = messages.InputJSONDelta
		if p.holds {
			n = min(n, max(0, p.wholeTo-p.written))
		}
		p.written += n
	case messages.BlockThinking:
		delta = messages.ThinkingDelta
	}
	if n == 0 {
		return
	}
	p.send(messages.Event{Type: messages.ContentBlockDelta, Delta: delta, Index: p.index, Text: p.out[:n]})
	p.out = p.out[:copy(p.out, p.out[n:])]
}

func (p *parser) send(e messages.Event) {
	if !p.unheard && !p.emit(e) {
		p.unheard = true
	}
}

// messageID returns the id of a message; one without a seed gets a fixed one.
func messageID(seed string) string {
	if seed == "" {
		return "msg_" + derivedID(seed, 0)
	}
	return seed
}

// toolUseID returns the id of the nth block of a message: as unique as the
// message's, of the form that every API accepts (reference/messages-api.md §8).
func toolUseID(seed string, n int) string { return "toolu_" + derivedID(seed, n+1) }

// derivedID returns 24 letters and digits that depend on seed and n alone.
func derivedID(seed string, n int) string {
	const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	sum := sha256.Sum256(strconv.AppendInt([]byte(seed+"/"), int64(n), 10))
	id := sum[:24]
	for i, b := range id {
		id[i] = digits[int(b)%len(digits)]
	}
	return string(id)
}
