package fidelity

import (
	"slices"
	"strings"

	"dragoman/translate/messages"
)

// DamageKinds are the kinds of damage, in the order of the table.
var DamageKinds = slices.Concat(damageTo(write, tagDamage), damageTo(writeJSON, jsonDamage), damageToFormats(), damageToLists())

// damage is a [DamageKind] without its writing, which the kind's list implies.
type damage struct {
	name, documented string
	apply            func(*draft) bool
}

// damageTo returns the kinds of damage in list for the writings that write makes.
func damageTo(write func(chance, *Instance) *Writing, list []damage) (kinds []DamageKind) {
	for _, d := range list {
		kinds = append(kinds, DamageKind{d.name, "", d.documented, write, d.apply})
	}
	return kinds
}

// tagDamage are the kinds of damage for calls in tags.
var tagDamage = []damage{
	{"no wrapper", "The calls are read without it.", func(d *draft) bool { return d.drop(rWrapOpen, rWrapClose) }},
	{"wrapper not opened", "The calls are read without it.", func(d *draft) bool { return d.drop(rWrapOpen) }},
	{"wrapper not closed", "The end of the answer closes it.", func(d *draft) bool { return d.drop(rWrapClose) }},
	{"wrapper in the singular", "Read like ours.", (*draft).singular},
	{"a word for the wrapper", "The word is text; the calls are read.", func(d *draft) bool {
		d.pieces[d.indexes(rWrapOpen)[0]].text = pick(d.chance, []string{"count", "court", "call", "function_calls"})
		return d.drop(rWrapClose)
	}},
	{"wrapper of another maker", "Read like ours.", func(d *draft) bool {
		name := pick(d.chance, []string{"tool_calls", "function_call", "tool_call", "use_tool"})
		return d.replaceEach(func(t string) string { return strings.Replace(t, "function_calls", name, 1) }, rWrapOpen, rWrapClose)
	}},
	{"wrapper doubled", "The outer one is text; the calls are read.", func(d *draft) bool {
		return d.replaceEach(func(t string) string { return t + t }, rWrapOpen, rWrapClose)
	}},
	{"invoke doubled", "The call is begun again.", func(d *draft) bool { return !d.mayBeTwo() && d.doubleInvoke() }},
	{"invoke doubled in a call without parameters", "The call is not whole: it could be two.", func(d *draft) bool { return d.mayBeTwo() && d.doubleInvoke() }},
	{"parameters doubled", "Read once.", func(d *draft) bool {
		return d.replaceEach(func(t string) string { return t + t }, rParamsOpen, rParamsClose)
	}},
	{"invoke not closed", "The next call or the end of the calls closes it.", (*draft).dropInvokeClose},
	{"parameters not opened", "The parameters are read without it.", func(d *draft) bool { return d.dropOne(rParamsOpen) }},
	{"parameters not closed", "`</invoke>` closes them.", func(d *draft) bool { return d.dropOne(rParamsClose) }},
	{"nothing closed after the values", "The call is not whole: it could be cut.", func(d *draft) bool {
		return d.drop(rParamsClose, rInvokeClose, rWrapClose)
	}},
	{"parameters and invoke closed in the wrong order", "Read.", func(d *draft) bool {
		return d.replaceEach(func(string) string { return "</invoke>" }, rParamsClose) && d.replaceEach(func(string) string { return "</parameters>" }, rInvokeClose)
	}},
	{"a value not closed", "Its end is certain before the closing tags of the call, and before another parameter that is declared.",
		func(d *draft) bool { return d.areDeclared() && d.openOne() }},
	{"a value not closed, before what is not declared", "Before an element that is not declared the call is not whole: the element could be markup in the value.",
		func(d *draft) bool { return d.haveOthers() && d.openOne() }},
	{"no value closed", "As above.", func(d *draft) bool { return d.areDeclared() && d.openAll() }},
	{"no value closed, before what is not declared", "As above.", func(d *draft) bool { return d.haveOthers() && d.openAll() }},
	{"a value closed by a word", "Read, if no element of that name is open in the value.", func(d *draft) bool { return d.closedBy(func(piece) string { return "</x>" }) }},
	{"a value closed by the other form", "`</parameter>` for `</name>`, or the other way round: read.", func(d *draft) bool {
		return d.closedBy(func(closer piece) string {
			if tag := tagOf(closer.name); d.Attribute && !d.anyValueContains("<"+tag[:1]) { // else an element seems open
				return "</" + tag + ">"
			} else if d.Attribute {
				return closer.text
			}
			return "</parameter>"
		})
	}},
	{"closing tags of two values swapped", "Read.", func(d *draft) bool { return d.areDeclared() && d.swapClosers() }},
	{"closing tags swapped of what is not declared", "The call is not whole: they could be markup in one value.", func(d *draft) bool { return d.haveOthers() && d.swapClosers() }},
	{"opening tag instead of the closing one", "Read.", func(d *draft) bool {
		return d.closedBy(func(closer piece) string { return strings.Replace(closer.text, "</", "<", 1) })
	}},
	{"prose before the call, in the wrapper", "The prose is text; the calls are read.", func(d *draft) bool { return d.insertAfter("Now I call it.\n", rWrapOpen) }},
	{"prose in the invoke", "Passed over.", func(d *draft) bool {
		return !d.haveNone() && d.insertAfter("Now the parameters:\n", rNameClose, rParamsOpen)
	}},
	{"prose in an invoke without parameters", "The call is not whole, if the prose may be all the input that there is.", func(d *draft) bool {
		return d.haveNone() && d.insertAfter("Now the parameters:\n", rNameClose, rParamsOpen)
	}},
	{"prose between parameters", "Passed over, where it can belong to no value.", (*draft).proseBetween},
	{"prose after the parameters", "Passed over, unless it may be all the input that there is.", func(d *draft) bool { return d.insertAfter("That is all.\n", rParamsClose) }},
	{"comments", "Passed over, where they can belong to no value; else the call is not whole.", (*draft).comment},
	{"prose after the calls", "The answer ends with the calls.", func(d *draft) bool { return d.surround("", "\n\nThis returns the weather.") }},
	{"results invented", "The answer ends with the calls.", func(d *draft) bool {
		return d.surround("", "\n<function_results>\n<result>\n<tool_name>T</tool_name>\n<stdout>\n1\n</stdout>\n</result>\n</function_results>\n\nIt is 1.")
	}},
	{"results invented before the calls are closed", "The answer ends with the calls.", func(d *draft) bool {
		d.drop(rWrapClose)
		return d.surround("", "<function_results>\n<result>\n<stdout>\n1\n</stdout>\n</result>\n</function_results>\nIt is 1.")
	}},
	{"code fence around the calls", "Text: it is quoted, unless there is nothing else in the answer.", func(d *draft) bool {
		return d.surround(pick(d.chance, []string{"```xml\n", "```\n", "```tool_code\n"}), "\n```")
	}},
	{"code span around the calls", "Text, unless a line ends after the wrapper: then it is a call.", func(d *draft) bool { return !d.holdsACall() && d.surround("`", "`") }},
	{"bold type around the calls", "The stars are text.", func(d *draft) bool { return d.surround("**", "**") }},
	{"a quotation around the calls", "Text: a line that begins with `>` quotes.", func(d *draft) bool {
		d.saysSo = meansQuoted
		if m := d.manner; m != nil && m.wrap[0] == "" && len(d.inst.Calls) > 1 {
			return false // a quotation mark before the second call ends the answer there
		}
		if d.holdsACall() {
			return false
		}
		return d.prefixLines("> ")
	}},
	{"indented calls", "White space between tags does not count; in a value it does.", (*draft).indent},
	{"extra white space between tags", "Passed over.", func(d *draft) bool {
		for _, i := range d.indexes(rWrapOpen, rInvokeOpen, rNameClose, rParamsOpen, rParamClose, rParamsClose, rInvokeClose) {
			d.pieces[i].space += pick(d.chance, []string{" ", "\n\n", "\t", "  \n", "\r\n"})
		}
		return true
	}},
	{"white space in tags", "Passed over.", func(d *draft) bool {
		return d.replaceEach(func(t string) string { return strings.Replace(t, ">", " >", 1) }, skeleton...)
	}},
	{"white space around names of tools", "Passed over.", func(d *draft) bool { return d.replaceEach(func(t string) string { return "\n" + t + " " }, rName) }},
	{"white space around values", "Part of a string; passed over elsewhere.", (*draft).padValues},
	{"tags in capitals", "Names of ours are read in any case.", func(d *draft) bool {
		return d.replaceEach(strings.ToUpper, rWrapOpen, rNameOpen, rNameClose, rParamsOpen, rParamsClose, rInvokeClose, rWrapClose)
	}},
	{"name of a tool in another case", "Takes the offered spelling, if there is one such tool.", func(d *draft) bool {
		return d.replaceEach(strings.ToUpper, rName) || d.upperNames()
	}},
	{"namespace on every tag", "Passed over.", func(d *draft) bool {
		return d.replaceEach(func(t string) string { return inNamespace(t) }, append(skeleton, d.parameterTags()...)...)
	}},
	{"namespace on opening tags alone", "Passed over.", func(d *draft) bool {
		return d.replaceEach(func(t string) string { return "<" + namespace + t[1:] }, rWrapOpen, rInvokeOpen, rNameOpen, rParamsOpen)
	}},
	{"values with entities", "As written: entities are not decoded.", (*draft).entities},
	{"the whole call with entities", "Text.", func(d *draft) bool {
		return !d.holdsACall() && d.replaceEach(strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace, append(tags, rValue, rJSON)...)
	}},
	{"values in CDATA", "Unwrapped.", (*draft).cdata},
	{"the whole call in CDATA", "The calls are read, or text.", func(d *draft) bool { return d.surround("<![CDATA[\n", "\n]]>") }},
	{"cut by the token limit", "`max_tokens`; calls before the cut stand.", func(d *draft) bool { return d.truncate(messages.StopMaxTokens, "") }},
	{"cut, and said to be ended", "A call that was not read to its end is not whole: `max_tokens`.", func(d *draft) bool { return d.truncate(messages.StopEndTurn, "") }},
	{"cut by a stop sequence of the client's", "`stop_sequence`; calls before the cut stand.", func(d *draft) bool { return d.truncate(messages.StopSequence, "STOP") }},
	{"head of the calls lost", "Text, or the calls that are left.", (*draft).dropHead},
	{"a parameter given twice", "The first counts.", (*draft).twice},
	{"name of a parameter in another case", "As written: another parameter.", (*draft).otherCase},
	{"a tool that was not offered", "Passed on as written, for the client to answer.", (*draft).otherTool},
	{"name of the tool as its tag", "Text.", (*draft).nameAsTag},
	{"tool_name before invoke", "Read, if the call is whole.", (*draft).nameFirst},
	{"JSON for the parameters", "Read.", (*draft).jsonInput},
	{"JSON in a code fence for the parameters", "Read.", (*draft).fencedInput},
	{"JSON for the call", "Read, in a wrapper.", (*draft).jsonCall},
	{"JSON with a comma too many", "Read.", func(d *draft) bool {
		return d.inJSON(func(t string) string { return t[:len(t)-1] + "," + t[len(t)-1:] })
	}},
	{"JSON with single quotes", "Read; in legacy kept as text.", func(d *draft) bool {
		return d.inJSON(d.keepingText(func(t string) string { return strings.ReplaceAll(t, `"`, "'") }))
	}},
	{"JSON with words of Python", "Read; in legacy kept as text.", func(d *draft) bool {
		return d.inJSON(d.keepingText(func(t string) string {
			return bareWords(t, strings.NewReplacer("true", "True", "false", "False", "null", "None"))
		}))
	}},
	{"JSON in a JSON string", "Read where no string is allowed, else as written.", (*draft).doubled},
	{"scalars in quotes", "Read where no string is allowed, else as written.", (*draft).quotedScalars},
	{"elements for JSON", "Read.", (*draft).elements},
	{"the other form's parameters", "Read.", (*draft).mixForms},
	{"elements of its own name in a value", "Read, where it is certain which tag ends the value.", (*draft).ownElements},
	{"undeclared parameters inline", "Read on lines of their own; elsewhere the call is not whole.", (*draft).undeclared},
	{"reserved names", "Read where they cannot be tags of the call.", (*draft).ownNames},
	{"reserved names with %XX", "Read.", (*draft).percentNames},
	{"enum in quotes", "Takes the member without the quotes.", (*draft).quotedEnum},
}
