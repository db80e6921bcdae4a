// Package prompt makes of a request with tools what a model without a tool API is asked.
//
//	prompt, err := Render(req, target)
//
// A step of [Render] has a file of its own: render_system.go for the tools and the system text, render_turns.go and
// render_results.go for the conversation, render_choice.go for tool_choice. No text of the client can be taken
// for markup: one escape policy ([markup.Escaper]) covers every format in which the answer will be read. All steps
// write into a [markup.Buffer], whose labels are what [RenderOrigins] returns.
package prompt
