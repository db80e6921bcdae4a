// Package upstream reaches the models. Each upstream turns a
// [translate.Prompt] into its own wire and that wire into [translate.Chunk]s:
//
//	chunks := up.Invoke(ctx, model, prompt)   iter.Seq2[translate.Chunk, error]
//
// The sequence is lazy: the request goes out when the range begins. The first
// chunk, often without text, comes as soon as the upstream has accepted the
// request; the last one has Stop set. A failure is the last element, alone, and
// an [*Error] in the terms of the Messages API; when the context ended, it is the
// context's cause instead. An answer that breaks off is always a failure, never
// a quiet end. Leaving the range cancels the request and releases all it held.
package upstream
