// Package held reads the text of calls that left the regular form. Such text is held until it is certain how it has
// to be read. The functions here know nothing of pieces, input and events: text goes in, calls and slips come out.
//
// There is a function for each way to write a call: [Search] for tags, [ReadObject] and [Tool.Input] for JSON,
// [Literals] for Python and the literals of Gemma, and [MatchHeader] for channels.
//
// A slip is a deviation from the format: a closing tag is missing, two are swapped, prose stands between parameters.
// Text may be read in several ways. The reading with the fewest kinds of slips wins, up to [MaxSlips]; of those that
// are equal, the one in which fewer of the call's own tags are text of values. If two readings are equally good, the
// call is refused: to guess would be to change what the model asked for.
package held
