package upstream

import "dragoman/translate/messages"

// nativeOrder checks that the events of a stream follow one another as
// docs/reference/streaming.md §2 has it:
//
//	message = message_start { block } message_delta { message_delta } message_stop .
//	block   = content_block_start { content_block_delta } content_block_stop .
//
// Blocks are numbered from 0 in the order in which they begin. A ping, and an event of an
// unknown type, may stand anywhere. All that reads the events relies on this order: a
// stream without it would lose text, or make a call that the model did not make.
type nativeOrder struct {
	started bool // there was a message_start
	blocks  int  // how many have begun
	open    bool // the last of them has not been stopped
	ended   bool // there was a message_delta
}

// follows reports whether an event can stand behind those before it.
func (o *nativeOrder) follows(e messages.Event) bool {
	switch e.Type {
	case messages.MessageStart:
		first := !o.started
		o.started = true
		return first
	case messages.ContentBlockStart:
		between := o.started && !o.open && !o.ended
		o.open = true
		o.blocks++
		return between && e.Index == o.blocks-1
	case messages.ContentBlockDelta:
		return o.open && e.Index == o.blocks-1
	case messages.ContentBlockStop:
		wasOpen := o.open
		o.open = false
		return wasOpen && e.Index == o.blocks-1
	case messages.MessageDelta:
		o.ended = true
		return o.started && !o.open
	case messages.MessageStop:
		return o.ended
	}
	return true
}
