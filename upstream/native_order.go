package upstream

import "dragoman/translate/messages"

// nativeOrder checks the order of the events of a stream (docs/reference/streaming.md §2):
//
//	message = message_start { block } message_delta { message_delta } message_stop .
//	block   = content_block_start { content_block_delta } content_block_stop .
//
// Blocks are numbered from 0 in the order of their start. Pings and events of unknown types may come
// anywhere. All code that reads the events relies on this order: in another order it could lose text, or
// create a call that the model did not make.
type nativeOrder struct {
	started bool // message_start has come
	blocks  int  // how many blocks have begun
	open    bool // the last block is still open
	ended   bool // message_delta has come
}

// follows reports whether an event may come after the events before it.
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
