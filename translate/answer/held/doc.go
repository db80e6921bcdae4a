// Package held reads calls that deviate from the regular form. The parser holds the text of such a call until it is
// certain how to read it. The functions here take text and return calls and slips. They know nothing of chunks
// or events. [Search] alone gets its text step by step: a tag, and what follows it.
//
// Each way to write a call has its function: [Search] for tags, [ReadObject] and [Tool.Input] for JSON, [Literals]
// for Python and Gemma literals, and [MatchHeader] for channels.
//
// A slip is a deviation from the format: a missing closing tag, two swapped tags, or prose between parameters. Some
// texts have several readings. The reading with the fewest kinds of slips wins, if it has at most [MaxSlips]. Among
// equals, the reading with fewer tags of the call inside values wins. If two readings are still equal, the call is
// refused, because a guess could change what the model asked for.
package held
