// Package markup knows the tags of all prompting formats, as text:
//
//   - how models write tags, which is not XML ([MatchTag], [MatchTextTag]);
//   - the escape policy, by which the client's text cannot spell a tag of ours ([Escaper],
//     [Unescape]);
//   - the text of a prompt while it is written, with labels of where each part is from ([Buffer]);
//   - the tags under which properties are offered to the model ([ParamTag], [ParamName]);
//   - values that are written as nested elements ([ReadElements]).
//
// A model's text arrives in pieces, so a matcher looks at text that may go on: its [Verdict]
// is Match, NoMatch, or NeedMore where the next bytes decide. How many bytes it looks at has
// a bound.
package markup
