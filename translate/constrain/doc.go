// Package constrain describes the calls that a request allows, in forms that servers can enforce
// while the model writes: a grammar, a structural tag, or a JSON Schema
// (docs/explanation/guided-decoding.md).
//
// # Terminology
//
//   - constraint: the data for the server. It applies to the text that the model writes after the prefill.
//   - rule: a named part of a grammar. There is a rule for each kind of value, each schema, and
//     the arguments of each tool.
//   - trigger: a text that turns the constraint on, if the model may choose not to call.
//
// A constraint allows less than the parser reads: calls exactly as the prompt shows them, white
// space included. A grammar cannot express some keywords of a schema, such as pattern and minimum.
// Checks of the answer cover these.
package constrain
