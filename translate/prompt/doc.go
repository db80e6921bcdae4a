// Package prompt turns a request with tools into a prompt for a model without a tool API.
//
//	prompt, err := Render(req, target)
//
// Each step of [Render] has a file of its own: render_system.go for the tools and the system text,
// render_turns.go and render_results.go for the conversation, render_choice.go for tool_choice. The
// client's text can never pass for markup: one escape policy ([markup.Escaper]) covers every format
// that the answer is read in. All steps write into a [markup.Buffer]. [RenderOrigins] returns its
// labels.
package prompt
