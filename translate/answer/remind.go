package answer

import (
	"iter"
	"slices"

	"dragoman/translate/messages"
	"dragoman/translate/prompt"
)

// A model is stuck if it answers results with neither text nor a call, or only with the calls whose results it has
// just got. Dragoman then asks it once more, with a reminder after the results ([prompt.Target.Remind]). The second
// answer takes the place of the first one, whatever it is. The reminder is never part of the conversation, so later
// requests keep their bytes, and prompt caches hold.

// reminded is [eventsWithin] for a model that may be stuck. It holds calls back as long as they equal those of the
// last turn. All other events pass as they come, so the second answer may follow thinking of the first one.
func reminded(req *messages.Request, asked *prompt.Prompt, ask Ask, again *budget, render Render) iter.Seq2[messages.Event, error] {
	first := eventsWithin(req, asked, ask, again)
	if !req.AnswersResults() || req.MustCall() {
		return first
	}
	return func(yield func(messages.Event, error) bool) {
		r := &reminder{watch: newWatch(lastResults(req)), yield: yield}
		r.again = func(why prompt.Reason) iter.Seq2[messages.Event, error] {
			if !again.spend(why) {
				return nil
			}
			p, err := render(req, why)
			if err != nil {
				return nil
			}
			p.Why = why
			return eventsWithin(req, p, ask, again)
		}
		r.readFirst(first)
		if r.second != nil {
			r.readSecond()
		}
	}
}

// reminder passes on the events of an answer to results. If the model is stuck, it asks once more.
type reminder struct {
	watch
	yield func(messages.Event, error) bool
	gone  bool // yield has returned false

	again  func(prompt.Reason) iter.Seq2[messages.Event, error] // asks once more; it returns nil if it cannot
	second iter.Seq2[messages.Event, error]                     // the second answer; nil if there is none
	end    *messages.Message                                    // of the first answer, if there is a second one
	held   []messages.Event                                     // the first answer from its first call on, as long as its calls are repeats
	sent   int                                                  // the number of blocks that were passed on
}

// send passes on an event.
func (r *reminder) send(e messages.Event, err error) {
	if e.Type == messages.ContentBlockStop {
		r.sent++
	}
	r.gone = r.gone || !r.yield(e, err)
}

// release passes on the events that were held, and forgets what only a second answer would need.
func (r *reminder) release() {
	for _, e := range r.held {
		r.send(e, nil)
	}
	r.held, r.again = nil, nil
}

// readFirst reads the first answer. If the model is stuck, readFirst sets second, and held is the rest of the first
// answer.
func (r *reminder) readFirst(events iter.Seq2[messages.Event, error]) {
	for e, err := range events {
		if r.gone {
			return
		}
		r.read(e)
		if e.Type == messages.MessageDelta {
			var why prompt.Reason
			if why, e = r.judge(e); why != "" {
				r.second, r.end = r.again(why), e.Message
			}
		}
		switch {
		case err == nil && e.Type != messages.Pause && (r.second != nil || r.turn != nil && r.calls > 0):
			e.Text = slices.Clone(e.Text)
			r.held = append(r.held, e)
		default:
			if r.turn == nil || err != nil {
				r.release()
			}
			r.send(e, err)
		}
	}
	if r.second == nil {
		r.release()
	}
}

// readSecond passes on the second answer after the blocks of the first one that were sent. If the second answer fails
// before its first block, readSecond passes on the rest of the first one.
func (r *reminder) readSecond() {
	before := r.sent
	w := newWatch(r.turn)
	begun := false
	for e, err := range r.second {
		w.read(e)
		switch {
		case err != nil && !begun:
			r.release()
			return
		case e.Type == messages.MessageStart, e.Type == messages.Ping:
			continue
		case e.Type == messages.MessageDelta:
			_, e = w.judge(e)
			e.Message = followed(r.end, e.Message)
		default:
			e.Index += before
		}
		begun = begun || e.Type != messages.Pause
		if r.send(e, err); r.gone {
			return
		}
	}
}
