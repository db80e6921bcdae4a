// Package markup knows the tags of all formats as text: how models write them ([MatchTag]:
// not XML), the policy by which text of a client's cannot spell one of ours ([Escaper],
// [Unescape]), the tags that properties are offered under ([ParamTag]) and values that are
// written as elements ([ReadElements]).
//
// Matchers look at text that may go on: their [Verdict] is Yes, No, or More where the next
// bytes decide. What they need to look at has a bound.
package markup
