package fidelity

import (
	"slices"
	"strings"

	"dragoman/translate/format"
	"dragoman/translate/messages"
)

// DamageKind is one kind of mistake in calls that models write in one format.
type DamageKind struct {
	*damage
	Format string
}

// String returns the name of the kind and the format.
func (k *DamageKind) String() string { return k.name + " in " + k.Format }

// damage is one kind of mistake.
type damage struct {
	name, documented string // documented describes what translate makes of the damage, for the table
	groups           group
	needs            func(*form) bool // a condition for a form; nil for none
	// apply damages a writing. It returns false if the writing has nothing to damage in this way.
	apply func(*draft) bool
}

// fits reports whether a form can have the damage.
func (d *damage) fits(f *form) bool { return d.groups&f.group != 0 && (d.needs == nil || d.needs(f)) }

// DamageKinds are the kinds of damage in each format that they fit, in the order of the table.
var DamageKinds = func() (kinds []DamageKind) {
	list := slices.Concat(damageToFrames, damageToTags, damageBetweenCalls, damageToText, damageToNames, damageToInputs, damageToMarks, slipExamples())
	for i := range list {
		for _, name := range formats {
			if slices.ContainsFunc(forms[name], list[i].fits) {
				kinds = append(kinds, DamageKind{&list[i], name})
			}
		}
	}
	return kinds
}()

// Conditions that a kind of damage sets for a form.
func hasWrapper(f *form) bool    { marks, _ := f.list(); return marks[0] != "" }
func hasEnd(f *form) bool        { marks, _ := f.list(); return marks[1]+f.call[2] != "" }
func hasWrapperEnd(f *form) bool { return hasEnd(f) && (f.wrap[1] != "" || f.isJSON()) }
func hasList(f *form) bool       { _, brackets := f.list(); return brackets[0] != "" }
func hasWord(f *form) bool {
	return strings.Trim(f.wrap[0], "<_>\nabcdefghijklmnopqrstuvwxyz") == "" && f.wrap[0] != ""
}
func assigns(f *form) bool     { return strings.HasSuffix(f.param[0], "=") }
func opensValues(f *form) bool { return strings.Count(f.param[0]+f.param[1], "<") > 2 }
func hasID(f *form) bool       { return f.label("x", 0) != "x" }
func hasName(f *form) bool     { return f.call[0] != "" }
func hasKeys(f *form) bool     { return f.keys[0] != "" }
func hasJSON(f *form) bool     { return f.group != inLists || hasName(f) || hasKeys(f) }
func varies(f *form) bool      { return !f.fixed }

// damageToFrames are the kinds of damage to the text around calls.
var damageToFrames = []damage{
	{"not damaged", "Read.", anyGroup, nil, func(*draft) bool { return true }},
	{"no wrapper", "The calls are read without it; in JSON they are text.", elements | inMarkers | inBlocks, hasWrapper, func(d *draft) bool { return d.drop(rWrapOpen, rWrapClose) }},
	{"wrapper not opened", "The calls are read without it; in JSON only as the whole answer, where such calls are.", anyGroup, hasWrapper, func(d *draft) bool {
		return (len(d.inst.Calls) == 1 || d.group&inLists == 0 && d.group != inBlocks) && d.drop(rWrapOpen)
	}},
	{"wrapper not closed", "The next call or the end of the answer closes it.", anyGroup, hasWrapperEnd, func(d *draft) bool {
		if d.isJSON() && d.group != inMarkers {
			return d.dropOne(rWrapClose, rInvokeClose)
		}
		return d.drop(rWrapClose)
	}},
	{"wrapper in the singular", "Read like ours.", ours, nil, (*draft).singular},
	{"a word for the wrapper", "The word is text; the calls are read.", ours, nil, func(d *draft) bool {
		d.pieces[d.indexes(rWrapOpen)[0]].text = pick(d.chance, []string{"count", "court", "call", "function_calls"})
		return d.drop(rWrapClose)
	}},
	{"wrapper of another maker", "Read like ours.", ours | inBlocks, hasWord, func(d *draft) bool {
		own := strings.Trim(d.wrap[0], "<>\n")
		name := pick(d.chance, slices.DeleteFunc([]string{"tool_calls", "function_call", "function_calls", "tool_call", "use_tool"}, func(name string) bool { return name == own }))
		return d.replaceEach(func(t string) string { return strings.Replace(t, own, name, 1) }, rWrapOpen, rWrapClose)
	}},
	{"wrapper doubled", "The outer one is text; the calls are read.", elements | inMarkers, hasWrapper, func(d *draft) bool { return d.replaceEach(twice, rWrapOpen, rWrapClose) }},
	{"call closed twice", "Read once.", anyGroup, hasEnd, func(d *draft) bool {
		if d.group&inLists != 0 {
			return d.replaceEach(twice, rWrapClose, rInvokeClose)
		}
		return d.replaceEach(func(t string) string { return t + t[max(strings.LastIndexByte(t, '<'), 0):] }, rInvokeClose, rWrapClose)
	}},
	{"call and wrapper closed in the wrong order", "Read.", makers | ours, hasWrapper, (*draft).swapEnds},
	{"calls in one wrapper", "Read.", inBlocks, nil, func(d *draft) bool { return d.joinJSON("", "\n", "") }},
	{"calls in one list", "Read.", inBlocks, nil, func(d *draft) bool { return d.joinJSON("[", ",\n", "]") }},
	{"list not opened", "Read in markers; else text.", inLists, hasList, func(d *draft) bool { return d.drop(rListOpen) }},
	{"list not closed", "The marker or the end of the answer closes it; else the calls are text.", inLists, hasList, func(d *draft) bool { return d.drop(rListClose) }},
	{"list opened twice", "Text.", inLists, hasList, func(d *draft) bool { return d.replaceEach(twice, rListOpen) }},
	{"list closed twice", "Read, in markers.", inLists, hasList, func(d *draft) bool { return d.replaceEach(twice, rListClose) }},
	{"comma between calls lost", "Read, or text.", inLists, hasList, func(d *draft) bool {
		return d.replaceEach(func(t string) string { return strings.Replace(t, ",", "", 1) }, rBetween)
	}},
}

// twice returns text twice.
func twice(text string) string { return text + text }

// damageToTags are the kinds of damage to the tags of calls and parameters.
var damageToTags = []damage{
	{"invoke doubled", "The call is begun again.", elements | inMarkers, nil, func(d *draft) bool { return !d.mayBeTwo() && !d.holdsACall() && d.doubleInvoke() }},
	{"invoke doubled in a call without parameters", "The call is not whole: it could be two.", inAttribute, nil, func(d *draft) bool { return d.mayBeTwo() && d.doubleInvoke() }},
	{"parameters doubled", "Read once.", inLegacy, nil, func(d *draft) bool { return d.replaceEach(twice, rParamsOpen, rParamsClose) }},
	{"invoke not closed", "The next call or the end of the calls closes it.", elements | inMarkers, nil, (*draft).dropInvokeClose},
	{"parameters not opened", "The parameters are read without it.", inLegacy, nil, func(d *draft) bool { return d.dropOne(rParamsOpen) }},
	{"parameters not closed", "`</invoke>` closes them.", inLegacy, nil, func(d *draft) bool { return d.dropOne(rParamsClose) }},
	{"nothing closed after the values", "The call is not whole: it could be cut.", elements | inMarkers, nil, func(d *draft) bool {
		return d.drop(rParamsClose, rInvokeClose, rWrapClose)
	}},
	{"parameters and invoke closed in the wrong order", "Read.", inLegacy, nil, func(d *draft) bool {
		return d.replaceEach(func(string) string { return "</invoke>" }, rParamsClose) && d.replaceEach(func(string) string { return "</parameters>" }, rInvokeClose)
	}},
	{"value and call closed in the wrong order", "Read where the type tells; else the first tag is text of the value, which the second closes.", inTags | inAttribute, nil, (*draft).swapLast},
	{"a value not closed", "Its end is certain before the closing tags of the call, and before another parameter that is declared.", elements, nil,
		func(d *draft) bool { return d.areDeclared() && d.openOne() }},
	{"a value not closed, before what is not declared", "Before an element that is not declared the call is not whole: the element could be markup in the value.", inLegacy, nil,
		func(d *draft) bool { return d.haveOthers() && d.openOne() }},
	{"no value closed", "As above.", elements, nil, func(d *draft) bool { return d.areDeclared() && d.openAll() }},
	{"no value closed, before what is not declared", "As above.", inLegacy, nil, func(d *draft) bool { return d.haveOthers() && d.openAll() }},
	{"a value closed by a word", "Read, if no element of that name is open in the value.", elements, nil, func(d *draft) bool { return d.closedBy(func(piece) string { return "</x>" }) }},
	{"a value closed by the other form", "`</parameter>` for `</name>`, or the other way round: read.", elements, nil, func(d *draft) bool {
		return d.closedBy(func(closer piece) string {
			if tag := tagOf(closer.name); d.group != inLegacy && !d.anyValueContains("<"+tag[:1]) { // else an element seems open
				return "</" + tag + ">"
			} else if d.group != inLegacy {
				return closer.text
			}
			return "</parameter>"
		})
	}},
	{"closing tags of two values swapped", "Read.", inLegacy, nil, func(d *draft) bool { return d.areDeclared() && d.swapClosers() }},
	{"closing tags swapped of what is not declared", "The call is not whole: they could be markup in one value.", inLegacy, nil, func(d *draft) bool { return d.haveOthers() && d.swapClosers() }},
	{"opening tag instead of the closing one", "Read.", elements, nil, func(d *draft) bool {
		return d.closedBy(func(closer piece) string { return strings.Replace(closer.text, "</", "<", 1) })
	}},
	{"a value not opened", "Read.", inTags, opensValues, (*draft).dropValueOpen},
	{"white space in tags", "Passed over.", elements, nil, func(d *draft) bool {
		return d.replaceEach(func(t string) string { return strings.Replace(t, ">", " >", 1) }, skeleton...)
	}},
	{"tags in capitals", "Names of ours are read in any case.", ours, nil, func(d *draft) bool {
		return !d.holdsACall() && d.replaceEach(strings.ToUpper, rWrapOpen, rNameOpen, rNameClose, rParamsOpen, rParamsClose, rInvokeClose, rWrapClose)
	}},
	{"namespace on every tag", "Passed over.", ours, nil, func(d *draft) bool {
		roles := skeleton
		if d.group == inAttribute {
			roles = tags
		}
		return d.replaceEach(inNamespace, roles...)
	}},
	{"namespace on opening tags alone", "Passed over.", ours, nil, func(d *draft) bool {
		return d.replaceEach(inNamespace, rWrapOpen, rInvokeOpen, rNameOpen, rParamsOpen)
	}},
	{"separator missing", "Read, if the input begins there.", inMarkers, varies, func(d *draft) bool {
		return varies(d.form) && d.replaceEach(func(t string) string { return t[:strings.LastIndexByte(t, '<')] }, rInvokeOpen)
	}},
	{"the other form's parameters", "Read.", elements, nil, (*draft).mixForms},
	{"name of the tool as its tag", "Text.", ours, nil, (*draft).nameAsTag},
	{"tool_name before invoke", "Read, if the call is whole.", inLegacy, nil, (*draft).nameFirst},
}

// damageToText are the kinds of damage to the text around and between calls.
var damageToText = []damage{
	{"prose before the call, in the wrapper", "The prose is text; the calls are read.", elements | inMarkers | inBlocks, hasWrapper, func(d *draft) bool {
		if d.group == inBlocks {
			i := d.anyIndex(rWrapOpen)
			d.asWritten = d.inst.Calls[:d.pieces[i].call]
			d.pieces[i].space += "The call:\n"
			return true
		}
		return d.insertAfter("Now I call it.\n", rWrapOpen)
	}},
	{"prose before the parameters", "Passed over in a wrapper, else text: the answer ends with the calls before it.", elements, nil, (*draft).proseAtStart},
	{"prose in a call without parameters", "The call is not whole, if the prose may be all the input that there is.", inLegacy, nil, func(d *draft) bool {
		return d.haveNone() && d.insertAfter("Now the parameters:\n", rNameClose, rParamsOpen)
	}},
	{"prose between parameters", "Passed over, where it can belong to no value.", elements, nil, (*draft).proseBetween},
	{"prose after the parameters", "Passed over, unless it may be all the input that there is.", elements, nil, (*draft).proseAtEnd},
	{"prose between calls", "Read, as text between the calls.", inBlocks, nil, func(d *draft) bool {
		d.asWritten = d.inst.Calls[:1]
		d.pieces[d.indexes(rWrapClose)[0]].space = "\nAnd the next one:\n"
		return len(d.inst.Calls) > 1
	}},
	{"comments", "Passed over, where they can belong to no value; else the call is not whole.", elements, nil, (*draft).comment},
	{"prose after the calls", "The answer ends with the calls; text, if they would be calls as the whole answer alone.", anyGroup, nil, func(d *draft) bool {
		return d.surround("", "\n\nThis returns the weather.")
	}},
	{"results invented", "The answer ends with the calls.", anyGroup, nil, func(d *draft) bool {
		if d.group&ours != 0 {
			return d.surround("", "\n<function_results>\n<result>\n<tool_name>T</tool_name>\n<stdout>\n1\n</stdout>\n</result>\n</function_results>\n\nIt is 1.")
		}
		return d.surround("", "\n<tool_response>\n1\n</tool_response>\n\nIt is 1.")
	}},
	{"results invented before the calls are closed", "The answer ends with the calls.", ours, nil, func(d *draft) bool {
		return d.drop(rWrapClose) && d.surround("", "<function_results>\n<result>\n<stdout>\n1\n</stdout>\n</result>\n</function_results>\nIt is 1.")
	}},
	{"code fence around the calls", "Text: it is quoted, unless there is nothing else in the answer.", anyGroup, nil, func(d *draft) bool {
		return d.surround(pick(d.chance, []string{"```xml\n", "```\n", "```tool_code\n", "```json\n"}), "\n```")
	}},
	{"thinking around the calls", "Text.", inAttribute, nil, func(d *draft) bool { return d.surround("<thinking>\n", "\n</thinking>") }},
	{"code span around the calls", "Text, unless a line ends after the wrapper: then it is a call.", anyGroup, nil, func(d *draft) bool { return !d.holdsACall() && d.surround("`", "`") }},
	{"bold type around the calls", "The stars are text.", anyGroup, nil, func(d *draft) bool { return d.surround("**", "**") }},
	{"a quotation around the calls", "Text: a line that begins with `>` quotes.", anyGroup, nil, func(d *draft) bool {
		d.saysSo = meansQuoted
		if (d.group&makers != 0 && d.wrap[0] == "" || d.between == "\n") && len(d.inst.Calls) > 1 {
			return false // a quotation mark before the second call ends the answer there
		}
		return !d.holdsACall() && d.prefixLines("> ")
	}},
	{"indented calls", "White space between tags does not count; in a value it does.", elements | inMarkers, nil, (*draft).indent},
	{"extra white space between tags", "Passed over.", elements | inMarkers, nil, func(d *draft) bool {
		for _, i := range d.indexes(betweenTags...) {
			d.pieces[i].space += pick(d.chance, []string{" ", "\n\n", "\t", "  \n", "\r\n"})
		}
		return true
	}},
	{"the whole call with entities", "Text.", anyGroup &^ inLists, nil, func(d *draft) bool {
		return !d.holdsACall() && d.replaceEach(strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace, append(tags, rValue, rJSON, rJSONCall)...)
	}},
	{"the whole call in CDATA", "The calls are read, or text.", anyGroup, nil, func(d *draft) bool { return d.surround("<![CDATA[\n", "\n]]>") }},
	{"cut by the token limit", "`max_tokens`; calls before the cut stand.", anyGroup, nil, func(d *draft) bool { return d.truncate(messages.StopMaxTokens, "") }},
	{"cut, and said to be ended", "A call that was not read to its end is not whole: `max_tokens`.", anyGroup, nil, func(d *draft) bool {
		return !d.needsNoInput() && d.truncate(messages.StopEndTurn, "")
	}},
	{"cut by a stop sequence of the client's", "`stop_sequence`; calls before the cut stand.", anyGroup, nil, func(d *draft) bool { return d.truncate(messages.StopSequence, "STOP") }},
	{"head of the calls lost", "Text, or the calls that are left.", anyGroup, nil, (*draft).dropHead},
}

// damageToNames are the kinds of damage to names, and to which parameters a call has.
var damageToNames = []damage{
	{"name of a tool in another case", "Takes the offered spelling, if there is one such tool.", anyGroup, nil, (*draft).upperNames},
	{"white space around names of tools", "Passed over.", inLegacy, nil, func(d *draft) bool { return d.replaceEach(func(t string) string { return "\n" + t + " " }, rName) }},
	{"tags around names of tools lost", "Read.", inLegacy, nil, func(d *draft) bool {
		return len(d.indexes(rParamsOpen)) == len(d.inst.Calls) && d.drop(rNameOpen, rNameClose)
	}},
	{"names of parameters before all values", "Read.", inTags, opensValues, (*draft).namesFirst},
	{"parameters in attributes", "Read.", inAttribute, nil, (*draft).inAttributes},
	{"names in attributes", "Read.", inTags, assigns, func(d *draft) bool { return d.renameAssigned(` name="`) }},
	{"names in quotes", "Read.", inTags, assigns, func(d *draft) bool { return d.renameAssigned(`="`) }},
	{"id spelled otherwise", "The name in it is found.", inMarkers, hasID, (*draft).otherID},
	{"a parameter given twice", "The first counts.", elements, nil, (*draft).repeatOne},
	{"name of a parameter in another case", "As written: another parameter.", elements, nil, (*draft).otherCase},
	{"a tool that was not offered", "Passed on as written, for the client to answer.", elements, nil, (*draft).otherTool},
	{"elements of its own name in a value", "Read, where it is certain which tag ends the value.", elements, nil, (*draft).ownElements},
	{"undeclared parameters inline", "Read on lines of their own; elsewhere the call is not whole.", elements, nil, (*draft).undeclared},
	{"reserved names", "Read where they cannot be tags of the call.", inLegacy, nil, (*draft).ownNames},
	{"reserved names with %XX", "Read.", inLegacy, nil, (*draft).percentNames},
}

// damageToInputs are the kinds of damage to values, and to whole inputs.
var damageToInputs = []damage{
	{"white space around values", "Part of a string; passed over elsewhere.", elements, nil, (*draft).padValues},
	{"values with entities", "As written: entities are not decoded.", elements, nil, (*draft).entities},
	{"values in CDATA", "Unwrapped.", elements, nil, (*draft).cdata},
	{"a list of one without brackets", "Read, if the text cannot be a list.", elements, nil, (*draft).singleItem},
	{"enum in quotes", "Takes the member without the quotes.", elements, nil, (*draft).quotedEnum},
	{"scalars in quotes", "Read where no string is allowed, else as written.", elements, nil, (*draft).quotedScalars},
	{"elements for JSON", "Read.", elements, nil, (*draft).elements},
	{"JSON for the parameters", "Read.", elements, nil, func(d *draft) bool {
		return d.inputs(func(c ToolCall) string { return c.Input.in(d.anyLayout()) })
	}},
	{"JSON in a code fence", "Read.", elements | inMarkers | inBlocks, nil, func(d *draft) bool {
		if d.isJSON() {
			return !d.fixed && d.replaceEach(func(t string) string { return "\n```json\n" + t + "\n```\n" }, rJSONCall)
		}
		return d.inputs(func(c ToolCall) string { return "```json\n" + c.Input.JSON() + "\n```" })
	}},
	{"JSON for the call", "Read, in a wrapper.", elements, nil, (*draft).hermes},
	{"JSON with a comma too many", "Read.", anyGroup, nil, func(d *draft) bool { return d.changeJSON(d.addComma) }},
	{"JSON with single quotes", "Read; in legacy kept as text.", anyGroup, hasJSON, (*draft).singleQuotes},
	{"JSON with words of Python", "Read; in legacy kept as text.", anyGroup, nil, func(d *draft) bool { return d.changeJSON(d.keepingText(otherWords)) }},
	{"JSON with comments", "Text, or the call is not whole.", objects, hasJSON, func(d *draft) bool { return d.changeJSON(d.addComment) }},
	{"JSON with newlines in strings", "Read.", objects, nil, func(d *draft) bool {
		return d.changeJSON(func(t string) string {
			if strings.Contains(t, format.GemmaQuote) || strings.Contains(t, format.GemmaEscape) {
				return t // this format escapes nothing
			}
			return unescape(t, `\n`, "\n")
		})
	}},
	{"JSON with quotes in strings", "Read, unless one could end a string: text, or the call is not whole.", objects, hasJSON, (*draft).plainQuotes},
	{"JSON in a JSON string", "Read where no string is allowed, else as written.", anyGroup, hasJSON, func(d *draft) bool {
		if d.isJSON() {
			return d.rewriteInputs(func(c ToolCall) Value { return str(c.Input.JSON()) })
		}
		d.saysSo = readsTo
		return d.changeJSON(func(t string) string { return str(t).JSON() })
	}},
	{"input lost", "Read without it, if the tool requires nothing.", objects, hasName, (*draft).dropInput},
	{"input in the shape of its schema", "Read if all values have their types; else as written.", anyGroup, hasJSON, (*draft).shapeInput},
	{"input beside the name", "Read, if the tool declares all of it.", inBlocks | inLists, hasKeys, (*draft).flatten},
	{"another word for the arguments", "`parameters`, `input` and `params` are read.", inBlocks | inLists, hasKeys, func(d *draft) bool {
		word := pick(d.chance, []string{`"parameters"`, `"input"`, `"params"`})
		return d.replaceEach(func(t string) string { return strings.Replace(t, `"`+d.keys[1]+`"`, word, 1) }, rJSONCall)
	}},
	{"a key given twice", "Text, or the call is not whole.", objects, hasJSON, func(d *draft) bool {
		return !d.haveNone() && d.rewriteInputs(func(c ToolCall) Value {
			return object(append(slices.Clone(c.Input.Members), Member{pick(d.chance, c.Input.Members).Name, str("other")})...)
		})
	}},
}

// damageToMarks are the kinds of damage to single characters of JSON and literals.
var damageToMarks = []damage{
	{"last bracket of a call lost", "Read before a marker; else text, or the call is not whole.", objects, nil, func(d *draft) bool {
		return d.changeJSON(func(t string) string { return strings.TrimRight(t[:len(t)-1], " \n") })
	}},
	{"last bracket of a call doubled", "Read, or text.", inLists, nil, func(d *draft) bool {
		changed := d.changeJSON(func(t string) string { return t + t[len(t)-1:] })
		d.asWritten = d.inst.Calls[:len(d.asWritten)+1]
		return changed
	}},
	{"a bracket lost", "Text, or the call is not whole.", inLists, nil, func(d *draft) bool { return d.changeMark("{}[]()", "") }},
	{"a bracket doubled", "Text, or the call is not whole.", inLists, nil, func(d *draft) bool { return d.changeMark("{}[]()", "$0$0") }},
	{"a comma lost", "Text, or the call is not whole.", inLists, nil, func(d *draft) bool { return d.changeMark(",", "") }},
	{"a comma doubled", "Text, or the call is not whole.", inLists, nil, func(d *draft) bool { return d.changeMark(",", "$0$0") }},
	{"a colon lost", "Text, or the call is not whole.", inLists, nil, func(d *draft) bool { return d.changeMark(":=", "") }},
	{"a quote lost", "Text, or the call is not whole, unless one quote alone could be missing.", inLists, nil, func(d *draft) bool { return d.changeMark(`"'<`, "") }},
}
