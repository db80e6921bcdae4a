// Package rawjson reads and changes JSON as text.
//
// Most of it walks over JSON that is known to be well-formed, such as the body of a
// request that was checked as a whole ([Members], [Elements], [Lookup], [Object]). A value
// is a part of the text: nothing is decoded or copied, so that a value that nobody looks at
// costs no more than its bytes. Text that is not well-formed ends where it stops to be.
//
// The rest writes JSON strings ([AppendString]) and reads text that ought to be JSON and may
// not be, because a model wrote it ([AppendLoose], [AppendCutObject], [FindValue]).
package rawjson
