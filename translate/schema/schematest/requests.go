// Package schematest has the schemas that are most expensive to read: they lead back to themselves,
// or are wide, deep or endless. Tests that render, compile or type under a schema limit the cost of
// each.
package schematest

import (
	"fmt"
	"strings"
)

// Request is a small request that is expensive to read: the schema of its one tool, and text to
// read under it.
type Request struct {
	Name, Schema string
	Input        string // as JSON: the input of a past call
	Answer       string // as markup: the parameters of a call that the model makes
}

// ladder returns a schema with $defs D0, D1, … that each refer to the next, as step writes it. Code
// that follows them without limits doubles its work at each level.
func ladder(levels int, last string, step func(ref string) string) string {
	var defs strings.Builder
	for i := range levels {
		fmt.Fprintf(&defs, `"D%d":%s,`, i, step(fmt.Sprintf(`{"$ref":"#/$defs/D%d"}`, i+1)))
	}
	return fmt.Sprintf(`{"type":"object","$defs":{%s"D%d":%s},"properties":{"v":{"$ref":"#/$defs/D0"}}}`, defs.String(), levels, last)
}

// listed returns n copies of format, separated by commas. #N in format is the number of the copy.
func listed(n int, format string) string {
	var list strings.Builder
	for i := range n {
		if i > 0 {
			list.WriteByte(',')
		}
		list.WriteString(strings.ReplaceAll(format, "#N", fmt.Sprint(i)))
	}
	return list.String()
}

var repeat = strings.Repeat

// Requests returns requests below 100 KB. Every keyword that holds schemas has a ladder.
func Requests() []Request {
	var r requests
	r.addLadders()
	r.addMerged()
	r.addWide()
	r.addLayers()
	r.addDeep()
	r.addReferences()
	r.addMany()
	return r
}

// requests is a list under construction.
type requests []Request

func (r *requests) add(name, schema, input, answer string) {
	*r = append(*r, Request{name, schema, input, answer})
}

// five and elements are an input and an answer that fit few schemas.
const five, elements = `{"v":"five"}`, `<v><c><c><c>5</c></c></c></v>`

// wideInput and wideAnswer have 2,500 parameters.
var (
	wideInput  = `{` + listed(2500, `"a#N":"x#N"`) + `}`
	wideAnswer = strings.ReplaceAll(listed(2500, `<a#N>x#N</a#N>`), ",", "\n")
)

// deep returns inner with open before it and shut after it, n times each.
func deep(n int, open, inner, shut string) string {
	return repeat(open, n) + inner + repeat(shut, n)
}

// wide returns a schema with the keywords in of for the parameter v and for every other parameter.
func wide(of string) string {
	return `{"type":"object","properties":{"v":{` + of + `}},"additionalProperties":{` + of + `}}`
}

// addLadders adds a ladder for each keyword.
func (r *requests) addLadders() {
	for _, levels := range []int{29, 60, 700} {
		for _, keyword := range []string{"anyOf", "oneOf", "allOf", "prefixItems", "items"} {
			for _, last := range []string{`{"type":"integer"}`, `{"type":"string"}`, `{"enum":["a","b"]}`, `{}`, `{"type":"array","items":{"type":"integer"}}`} {
				r.add(fmt.Sprintf("%s of %s, %d levels", keyword, last, levels),
					ladder(levels, last, func(ref string) string { return `{"` + keyword + `":[` + ref + `,` + ref + `]}` }), five, elements)
			}
		}
		for _, step := range []string{
			`{"not":#}`, `{"if":#,"then":#,"else":#}`, `{"additionalProperties":#}`, `{"patternProperties":{"a":#,"b":#}}`, `{"dependentSchemas":{"a":#,"b":#}}`,
			`{"properties":{"a":#,"b":#}}`, `{"type":"object","properties":{"c":#,"b":#}}`, `{"type":"array","items":#,"contains":#}`,
			`{"anyOf":[{"type":"object","properties":{"c":#}},{"type":"object","properties":{"c":#}}]}`,
			`{"anyOf":[{"type":"array","items":#},{"type":"array","items":#}]}`,
			`{"title":"t","$ref":"#"}`, `{"allOf":[#,{"properties":{"p":{},"q":{}}}]}`, `{"type":"string","allOf":[#]}`,
		} {
			r.add(fmt.Sprintf("%s, %d levels", step, levels), ladder(levels, `{"type":"integer"}`, func(ref string) string {
				if strings.Contains(step, `"$ref":"#"`) {
					return strings.Replace(`{"type":["string","null"],#`, "#", ref[1:], 1)
				}
				return strings.ReplaceAll(step, "#", ref)
			}), five, elements)
		}
	}
}

// addMerged adds schemas with parts that would grow with the square of the text if merged.
func (r *requests) addMerged() {
	merged := `{"type":"object","$defs":{` + listed(700, `"D#N":{"allOf":[{"$ref":"#/$defs/D#Na"},{"properties":{"p#N":{"type":"integer"}}}]}`) + `},"properties":{"v":{"$ref":"#/$defs/D0"}}}`
	for i := range 700 {
		merged = strings.Replace(merged, fmt.Sprintf("/D%da", i), fmt.Sprintf("/D%d", i+1), 1)
	}
	r.add("allOf over all the properties below", merged, five, elements)
	merged = strings.ReplaceAll(merged, `"properties":{"p`, `"enum":["a`)
	merged = strings.ReplaceAll(merged, `":{"type":"integer"}}}]}`, `"]}]}`)
	r.add("allOf over all the enums below", merged, five, elements)
	r.add("many ways in", `{"type":"object","$defs":{"b":{"properties":{`+listed(1000, `"p#N":{}`)+`}}},"properties":{`+listed(1000, `"q#N":{"allOf":[{"$ref":"#/$defs/b"}]}`)+`}}`,
		`{"q1":{"p1":5}}`, "<q1><p1>5</p1></q1>")
}

// addWide adds schemas with thousands of alternatives or enum members.
func (r *requests) addWide() {
	for _, of := range []string{
		`"enum":[` + listed(5000, `"x#N"`) + `]`,
		`"enum":[` + listed(3500, `"\u0078#Ny"`) + `]`,
		`"anyOf":[` + listed(1500, `{"const":"y#N"}`) + `]`,
		`"anyOf":[` + listed(1500, `{"type":"integer"}`) + `]`,
		`"anyOf":[` + listed(700, `{"const":"y#N"},{"type":"integer"}`) + `]`,
		`"anyOf":[` + listed(700, `{"const":"y#N"},{"type":"object"}`) + `]`,
		`"anyOf":[` + listed(1000, `{"type":"object","properties":{"c":{}}}`) + `]`,
		`"items":{"enum":[` + listed(5000, `"x#N"`) + `]},"type":"array"`,
	} {
		schema := wide(of)
		if len(schema) > 50_000 {
			schema = strings.Replace(wide(of), `"v":{`+of+`}`, `"v":{}`, 1)
		}
		r.add("wide "+of[:min(len(of), 60)], schema, wideInput, wideAnswer)
		r.add("objects under wide "+of[:min(len(of), 60)], schema, `{`+listed(1500, `"a#N":{"c":[1,"x"]}`)+`}`, strings.ReplaceAll(listed(1500, `<a#N><c>1</c><c>x</c></a#N>`), ",", "\n"))
		r.add("markup under wide "+of[:min(len(of), 60)], schema, `{`+listed(1500, `"a#N":"<c>x</c>"`)+`}`, strings.ReplaceAll(listed(1500, `<a#N><c>x</c></a#N>`), ",", "\n"))
	}
}

// addLayers adds alternatives of alternatives. Each layer leads to all layers below.
func (r *requests) addLayers() {
	layers := func(last string) string {
		var defs strings.Builder
		for i := range 30 {
			fmt.Fprintf(&defs, `"L%d":{"anyOf":[`, i)
			for j := i + 1; j <= min(i+12, 30); j++ {
				fmt.Fprintf(&defs, `{"$ref":"#/$defs/L%d"},`, j)
			}
			defs.WriteString(last + `]},`)
		}
		return wide(`"$ref":"#/$defs/L0"`)[:len(wide(`"$ref":"#/$defs/L0"`))-1] + `,"$defs":{` + defs.String() + `"L30":` + last + `}}`
	}
	r.add("layers of enums", layers(`{"enum":["u","w"]}`), wideInput, wideAnswer)
	r.add("layers of objects", layers(`{"type":"object","properties":{"c":{"$ref":"#/$defs/L0"}}}`), `{`+listed(1500, `"a#N":"<c>x</c>"`)+`}`, strings.ReplaceAll(listed(1500, `<a#N><c>x</c></a#N>`), ",", "\n"))
	r.add("a deep value under layers", layers(`{"type":"object","properties":{"c":{"$ref":"#/$defs/L0"}}}`), `{"v":"`+repeat("<c>", 3000)+repeat("</c>", 3000)+`"}`, "<v>"+repeat("<c>", 3000)+repeat("</c>", 3000)+"</v>")
	r.add("a deep open value under layers", layers(`{"type":"object","properties":{"c":{"$ref":"#/$defs/L0"}}}`), `{"v":"`+repeat("<c>", 9000)+`"}`, "<v>"+repeat("<c>", 9000)+"</v>")
}

// addDeep adds schemas that are nested as deep as a request may be.
func (r *requests) addDeep() {
	filler := listed(5000, `"p#N":{}`)
	for _, step := range [][2]string{{`{"items":`, `}`}, {`{"anyOf":[`, `]}`}, {`{"allOf":[`, `]}`}, {`{"properties":{"a":`, `}}`}, {`{"x":`, `}`}, {`{"additionalProperties":`, `}`}} {
		n := 150 / strings.Count(step[1], "}") / max(1, strings.Count(step[1], "]")*2)
		r.add("deep "+step[0], `{"type":"object","properties":{"v":`+deep(n, step[0], `{"type":"object","properties":{`+filler+`}}`, step[1])+`}}`, five, elements)
	}
}

// addReferences adds schemas with many $ref that lead far, to one place, or in circles.
func (r *requests) addReferences() {
	pointer := repeat("/x", 90)
	r.add("deep pointers", `{"type":"object","properties":{`+listed(400, `"p#N":{"$ref":"#`+pointer+`/a#N"}`)+`},"x":`+deep(89, `{"x":`, `{`+listed(400, `"a#N":{}`)+`}`, `}`)+`}`, five, elements)
	r.add("deep pointers into lists", `{"type":"object","properties":{`+listed(1500, `"p#N":{"$ref":"#/anyOf/#N"}`)+`},"anyOf":[`+listed(1500, `{}`)+`]}`, five, elements)
	r.add("references to one place, spelled otherwise", `{"type":"object","properties":{`+listed(1500, `"p#N":{"$ref":"#/properties/p#N/$ref"}`)+`}}`, five, elements)
	r.add("references to each other", `{"type":"object","properties":{`+listed(1700, `"p#N":{"$ref":"#/properties/q#N"}`)+`}}`, five, elements)
	r.add("one reference many times", `{"type":"object","$defs":{"x":{"anyOf":[`+listed(500, `{"type":"integer"}`)+`]}},"properties":{`+listed(1700, `"p#N":{"$ref":"#/$defs/x"}`)+`}}`, five, elements)
	r.add("cycles", `{"type":"object","$defs":{`+listed(30, `"c#N":{"anyOf":[`+listed(30, `{"$ref":"#/$defs/c%%"}`)+`]}`)+`},"additionalProperties":{"$ref":"#/$defs/c0"}}`, wideInput[:20000]+`"}`, wideAnswer[:20000])
	(*r)[len(*r)-1].Schema = func(s string) string {
		for i := 0; strings.Contains(s, "%%"); i++ {
			s = strings.Replace(s, "%%", fmt.Sprint(i%30), 1)
		}
		return s
	}((*r)[len(*r)-1].Schema)
	(*r)[len(*r)-1].Input = `{` + listed(1500, `"a#N":"x#N"`) + `}`
	r.add("a tree of itself", `{"type":"object","properties":{"v":{"$ref":"#"},"c":{"anyOf":[{"$ref":"#"},{"$ref":"#"},{"type":"array","items":{"$ref":"#"}}]}}}`, `{"v":"`+repeat("<c>", 3000)+repeat("</c>", 3000)+`"}`, "<v>"+repeat("<c>", 3000)+repeat("</c>", 3000)+"</v>")
}

// addMany adds schemas with thousands of properties.
func (r *requests) addMany() {
	r.add("many required", `{"type":"object","required":[`+listed(3000, `"p#N"`)+`],"properties":{`+listed(3000, `"p#N":{}`)+`}}`, five, elements)
	r.add("many properties", `{"type":"object","properties":{`+listed(4500, `"p#N":{}`)+`}}`, `{`+listed(2000, `"p#N":"</p1>"`)+`}`, `<p1>`+repeat("</p ", 7000)+`</p1>`)
	r.add("many closing tags of many properties", `{"type":"object","properties":{`+listed(4500, `"p#N":{}`)+`}}`, five, `<parameter name="p1">`+repeat("</p9999>", 5000)+`</parameter>`)
	r.add("long names", `{"type":"object","properties":{`+listed(500, `"p`+repeat("é", 50)+`#N":{}`)+`}}`, `{"`+repeat("é", 5000)+`":"`+repeat("<p", 5000)+`"}`, `<p1>`+repeat("<p%20", 7000)+`</p1>`)
}
