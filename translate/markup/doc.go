// Package markup knows the tags of all prompting formats, as text:
//
//   - how models write tags, which is not XML ([MatchTag], [MatchTextTag]);
//   - the escape policy, which keeps the client's text from spelling a tag of a format
//     ([Escaper], [Unescape]);
//   - the text of a prompt under construction, with labels of where each part is from ([Buffer]);
//   - the tags for properties that the model is shown ([ParamTag], [ParamName]);
//   - values that are written as nested elements ([ReadElements]).
//
// A model's text arrives in pieces, so a matcher sees text that may go on. Its [Verdict] is Match,
// NoMatch, or NeedMore if the next bytes decide. Each matcher looks at a limited number of bytes.
package markup
