package eval

import (
	"fmt"
	"html"
	"strings"
)

// The report as a page of HTML. It is written by hand: a program that imports text/template, as
// html/template does, is linked with every method of every type (it looks methods up by name), and
// would be a fifth longer.

// pageHead is the page before its heading; the verb is for the title.
const pageHead = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>%s</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #222; background: #fff; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
th, td { border-bottom: 1px solid #ddd; padding: .25rem .75rem .25rem 0; text-align: left; vertical-align: top; }
svg { max-width: 100%%; height: auto; }
svg text { font: 13px system-ui, sans-serif; fill: currentColor; }
svg rect { fill: #3b6ea5; }
.simulated { border-left: 4px solid #c60; padding-left: .75rem; }
@media (prefers-color-scheme: dark) { body { color: #ddd; background: #1b1b1b; } th, td { border-color: #444; } }
</style>
`

// html returns the report as a page of HTML that loads nothing from elsewhere, so that it
// can be sent as one file.
func (r *Report) html() string {
	var out strings.Builder
	title := html.EscapeString(r.Model + " on " + r.Set)
	fmt.Fprintf(&out, pageHead, title)
	class := ""
	if r.Simulated {
		class = ` class="simulated"`
	}
	fmt.Fprintf(&out, "<h1>%s</h1>\n<p%s>%s</p>\n", title, class, html.EscapeString(r.intro()))
	htmlTable(&out, columns, rowsOf(r.Formats))
	out.WriteString("\n")
	for _, c := range r.charts() {
		c.draw(&out)
	}
	section := func(title string, head []string, rows [][]string) {
		fmt.Fprintf(&out, "<h2>%s</h2>\n", html.EscapeString(title))
		htmlTable(&out, head, rows)
	}
	out.WriteString("\n")
	section("How calls were read", outcomeColumns, r.outcomeRows())
	if r.Kinds != nil {
		head, rows := r.kindTable()
		section("Right, by kind", head, rows)
	}
	if len(r.Wrong) > 0 {
		section(fmt.Sprintf("Not right: %d", len(r.Wrong)), []string{"format", "question", "why"}, r.wrongRows())
	}
	out.WriteString("\n</html>\n")
	return out.String()
}

// htmlTable writes a table whose cells hold plain text.
func htmlTable(out *strings.Builder, head []string, rows [][]string) {
	write := func(row []string, cell string) {
		out.WriteString("<tr>")
		for _, text := range row {
			fmt.Fprintf(out, "<%s>%s</%s>", cell, html.EscapeString(text), cell)
		}
		out.WriteString("</tr>\n")
	}
	out.WriteString("<table>\n")
	write(head, "th")
	for _, row := range rows {
		write(row, "td")
	}
	out.WriteString("</table>\n")
}

// The measures of a chart, in pixels.
const (
	chartLabel = 120 // for the names of the bars
	chartBars  = 400 // for the longest
	chartText  = 90  // for the figures
	chartRow   = 24
	chartGap   = 6
)

// draw writes the chart as an SVG: the bars below one another, each in a row of its own.
func (c chart) draw(out *strings.Builder) {
	width, height, title := chartLabel+chartBars+chartText, chartRow*len(c.bars), html.EscapeString(c.title)
	fmt.Fprintf(out, "<h2>%s</h2>\n", title)
	fmt.Fprintf(out, `<svg viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-label="%s">`+"\n", width, height, width, height, title)
	for i, b := range c.bars {
		top := i * chartRow
		textY, length := top+chartRow/2+chartGap, int(b.share*chartBars+0.5)
		fmt.Fprintf(out, `<text x="0" y="%d">%s</text><rect x="%d" y="%d" width="%d" height="18"/><text x="%d" y="%d">%s</text>`+"\n",
			textY, html.EscapeString(b.label), chartLabel, top+chartGap/2, length, chartLabel+length+chartGap, textY, html.EscapeString(b.text))
	}
	out.WriteString("</svg>\n")
}
