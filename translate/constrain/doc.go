// Package constrain says which answers are calls that a request allows, as data that servers hold a model to
// while it writes: a grammar, a structural tag, or a JSON Schema (docs/explanation/guided-decoding.md).
//
// # Terminology
//
//   - constraint: what is sent to a server. It is about the text that the model writes behind the prefill.
//   - rule: a named part of a grammar. A constraint has one rule for each kind of value, for each schema and
//     for the arguments of each tool.
//   - trigger: a text at which a constraint begins to hold, where the model may choose to call nothing.
//
// A constraint allows less than the parser reads: calls as the prompt teaches them, with the white space that
// stands there. What keywords of a schema say that a grammar cannot, such as pattern and minimum, is left to
// the checks of the answer.
package constrain
