// Package rawjson reads and changes JSON as text.
//
// Most of it walks over JSON that is known to be well-formed, such as a request body after it was
// checked ([Members], [Elements], [Lookup], [Object]). Values are parts of the text. Nothing is
// decoded or copied, so an unused value costs only its bytes. If text is not well-formed, the walk
// ends there.
//
// The rest writes JSON strings ([AppendString]), and reads text from a model that should be JSON
// but may not be ([AppendLoose], [AppendCutObject], [FindValue]).
package rawjson
