package translate_test

import (
	"fmt"
	"iter"
	"log"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// A model that only completes text writes a call as markup, and the upstream cuts the text
// anywhere. Events turns the markup into a tool_use block while it arrives.
func ExampleEvents() {
	body := `{
		"model": "any", "max_tokens": 200,
		"tools": [{
			"name": "get_rate",
			"input_schema": {"type": "object", "properties": {"currency": {"type": "string"}, "days": {"type": "integer"}}}
		}],
		"messages": [{"role": "user", "content": "What was a euro worth this week?"}]
	}`
	req, err := messages.Decode([]byte(body), messages.DecodeOptions{})
	if err != nil {
		log.Fatal(err)
	}
	prompt, err := translate.Render(req, translate.Target{ModelOptions: translate.ModelOptions{Format: translate.FormatLegacy}})
	if err != nil {
		log.Fatal(err)
	}
	ask := func(*translate.Prompt) iter.Seq2[translate.Chunk, error] {
		return func(yield func(translate.Chunk, error) bool) {
			_ = yield(translate.Chunk{Text: "I'll look it up.\n\n<function_c"}, nil) &&
				yield(translate.Chunk{Text: "alls>\n<invoke>\n<tool_name>get_rate</tool_name>\n<parameters>\n<currency>E"}, nil) &&
				yield(translate.Chunk{Text: "UR</currency>\n<days>7</days>\n</parameters>\n</invoke>\n"}, nil) &&
				yield(translate.Chunk{Stop: messages.StopSequence, StopSequence: translate.CallsEnd}, nil)
		}
	}
	events := translate.Events(req, prompt, ask)
	for e, err := range events {
		if err != nil {
			log.Fatal(err)
		}
		switch e.Type {
		case messages.ContentBlockStart:
			fmt.Println(e.Type, e.Index, e.Block.Type)
		case messages.ContentBlockDelta:
			fmt.Printf("%s %d %q\n", e.Type, e.Index, e.Text)
		case messages.Pause: // the next event may take a while, so a server flushes here
		default:
			fmt.Println(e.Type)
		}
	}
	// A non-streaming answer is the same events, collected. Ranging over the events again asks the
	// model again; this ask always gives the same answer.
	m, err := messages.Collect(events)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("text %q\n", m.Content[0].Text)
	fmt.Printf("call %s(%s)\n", m.Content[1].Name, m.Content[1].Input)
	fmt.Printf("stop_reason %s\n", m.StopReason)
	// Output:
	// message_start
	// ping
	// content_block_start 0 text
	// content_block_delta 0 "I'll look it up."
	// content_block_stop
	// content_block_start 1 tool_use
	// content_block_delta 1 "{\"currency\":\"EUR\",\"days\":7}"
	// content_block_stop
	// message_delta
	// message_stop
	// text "I'll look it up."
	// call get_rate({"currency":"EUR","days":7})
	// stop_reason tool_use
}
