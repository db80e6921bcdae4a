// Package fidelity measures whether the client gets the calls that a model means. It makes random tools and
// calls, and writes each call as a model would. It damages some of the calls in the ways in which models
// do, and compares what package translate reads with what was meant.
//
// # Terminology
//
//   - instance: tools, and the calls to them in one answer.
//   - writing: an instance as text, in one of the ways in which models write.
//   - damage: one kind of mistake in a writing; see [DamageKinds].
//   - trial: one damaged writing and its result.
//
// A seed determines everything: the instance, the writing and the damage.
package fidelity
