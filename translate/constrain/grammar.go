package constrain

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// grammar is a grammar under construction, in the part of GBNF that llama.cpp, xgrammar and others
// share. An expression is the text of a rule: a literal, a class of characters, a name, or a
// sequence of these. Alternatives inside it are in parentheses.
type grammar struct {
	ctx    context.Context
	spent  int // bytes written so far, to find rules included
	rules  []rule
	byBody map[string]string // body to name of a rule
}

// maxWork limits the bytes that are written to make a grammar. Many of them are in rules that already exist, or that the
// grammar does not need: one of [MaxBytes] takes about a tenth.
const maxWork = 16 * MaxBytes

// errTooLarge is the error of a grammar that is given up.
var errTooLarge = fmt.Errorf("the constraint would have more than the %d bytes that servers take. Offer fewer tools, or simpler schemas", MaxBytes)

// stopped is the panic of spend.
type stopped struct{ error }

// spend counts bytes that are written. When they are too many, or nobody waits for the grammar any more, it panics with
// a stopped.
func (g *grammar) spend(bytes int) {
	if g.spent += bytes; g.spent > maxWork {
		panic(stopped{errTooLarge})
	}
	if err := g.ctx.Err(); err != nil {
		panic(stopped{err})
	}
}

type rule struct{ name, body string }

// declare returns the name of a rule that is defined later, so that it may refer to itself.
func (g *grammar) declare() string {
	g.spend(1)
	name := fmt.Sprintf("r%d", len(g.rules))
	g.rules = append(g.rules, rule{name: name})
	return name
}

// define gives a declared rule its body.
func (g *grammar) define(name, body string) {
	g.spend(len(body))
	i, _ := indexOf(name)
	g.rules[i].body = body
}

// rule returns the name of the rule with this body.
func (g *grammar) rule(body string) string {
	if name, ok := g.byBody[body]; ok {
		g.spend(len(body))
		return name
	}
	name := g.declare()
	g.define(name, body)
	if g.byBody == nil {
		g.byBody = map[string]string{}
	}
	g.byBody[body] = name
	return name
}

// named returns a short expression: a name in place of alternatives and sequences.
func (g *grammar) named(expression string) string {
	if !strings.Contains(expression, " ") {
		return expression
	}
	return g.rule(expression)
}

// text returns the grammar that starts at root, with all rules that it needs.
func (g *grammar) text(root string) string {
	var b strings.Builder
	b.WriteString("root ::= " + root + "\n")
	leads := make([]bool, len(g.rules))
	var follow func(body string)
	follow = func(body string) {
		for _, word := range strings.FieldsFunc(body, func(r rune) bool { return strings.ContainsRune(" ()*?", r) }) { // literals may look like names, too
			if i, ok := indexOf(word); ok && i < len(g.rules) && !leads[i] {
				leads[i] = true
				follow(g.rules[i].body)
			}
		}
	}
	follow(root)
	for i, r := range g.rules {
		if leads[i] {
			b.WriteString(r.name + " ::= " + r.body + "\n")
		}
	}
	return b.String()
}

// indexOf returns the index of the rule with this name. It returns false if there is no such rule.
func indexOf(name string) (int, bool) {
	number, ok := strings.CutPrefix(name, "r")
	i, err := strconv.Atoi(number)
	return i, ok && err == nil && i >= 0
}

// sequence joins expressions. Without any, it is the empty text. It merges adjacent literals:
// engines that read whole words ahead take the longest match, and could not go back from a comma to
// the name of another member.
func sequence(parts ...string) string {
	var list []string
	for _, p := range parts {
		if p == "" || p == `""` {
			continue
		}
		first, rest := cutLiteral(p)
		if last := len(list) - 1; first != "" && last >= 0 && isLiteral(list[last]) {
			list[last] = list[last][:len(list[last])-1] + first[1:]
			p = rest
		}
		if first != "" && rest != "" && p != rest {
			list, p = append(list, first), rest
		}
		if p != "" {
			list = append(list, p)
		}
	}
	if len(list) == 0 {
		return `""`
	}
	return strings.Join(list, " ")
}

// isLiteral reports whether an expression is a single literal.
func isLiteral(expression string) bool {
	first, rest := cutLiteral(expression)
	return first != "" && rest == ""
}

// cutLiteral splits an expression into the literal at its start, or "", and the rest.
func cutLiteral(expression string) (first, rest string) {
	if expression[0] != '"' {
		return "", expression
	}
	for i := 1; i < len(expression); i++ {
		switch expression[i] {
		case '\\':
			i++
		case '"':
			if rest = expression[i+1:]; rest == "" || rest[0] == ' ' {
				return expression[:i+1], strings.TrimPrefix(rest, " ")
			}
			return "", expression
		}
	}
	return "", expression
}

// either returns an expression of the alternatives, each once.
func either(parts ...string) string {
	var list []string
	seen := map[string]bool{}
	for _, p := range parts {
		if !seen[p] {
			seen[p] = true
			list = append(list, p)
		}
	}
	if len(list) == 1 {
		return list[0]
	}
	return "(" + strings.Join(list, " | ") + ")"
}

// literal returns the expression of a text.
func literal(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\x%02X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// class returns characters in the form for the brackets of a class.
func class(chars ...rune) string {
	var b strings.Builder
	for _, r := range chars {
		if r < utf8.RuneSelf && !isPlain(r) {
			fmt.Fprintf(&b, `\x%02X`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// isPlain reports whether a character needs no escape in a class.
func isPlain(r rune) bool {
	return r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z' || strings.ContainsRune("<>/=_.,:;!?", r)
}
