// Package fidelity measures whether what a model means arrives at the client. It makes tools and
// calls at random, writes each call as a model would, damages some of them the way models do, and
// compares what package translate reads with what was meant.
//
// # Terminology
//
//   - instance: tools and the calls of one answer to them.
//   - writing: an instance as text, in one of the ways models write.
//   - damage: one thing that goes wrong in a writing; see [DamageKinds].
//   - trial: one damaged writing and what became of it.
//
// Everything follows from a seed: the same seed gives the same instance, the same writing and the
// same damage.
package fidelity
