package main

import (
	"fmt"
	"os"
	"strings"
)

// The chart's measures, in pixels.
const (
	chartWidth  = 760
	labelWidth  = 130
	valueWidth  = 90
	barHeight   = 16
	barDistance = 22
)

// style is readable on light and on dark backgrounds.
const style = `<style>
text { font: 13px system-ui, sans-serif; fill: #57606a; }
.title { font-weight: 600; }
.bar { fill: #9aa4af; }
.ours { fill: #2f6fdb; }
@media (prefers-color-scheme: dark) { text { fill: #c9d1d9; } .bar { fill: #6e7681; } .ours { fill: #58a6ff; } }
</style>
`

// charted are the figures of the chart: of the request of 71 KB.
var charted = []aim{aims[1], aims[0], aims[3], aims[4]}

// writeChart draws a bar for each program in each of the figures.
func writeChart(results map[string][]measured) error {
	var out strings.Builder
	y := 0
	for _, a := range charted {
		m := results[a.section][a.load]
		most := 0.0
		for _, t := range m.programs() {
			most = max(most, a.of(m, t))
		}
		y += 24
		fmt.Fprintf(&out, "<text class=\"title\" x=\"0\" y=\"%d\">%s</text>\n", y, a.name)
		y += 10
		for _, t := range m.programs() {
			class, value := "bar", a.of(m, t)
			if strings.HasPrefix(t.name, "Dragoman") {
				class = "bar ours"
			}
			width := max(1, int(value/max(most, 1e-9)*(chartWidth-labelWidth-valueWidth)))
			fmt.Fprintf(&out, "<text x=\"0\" y=\"%d\">%s</text><rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/><text x=\"%d\" y=\"%d\">%s</text>\n",
				y+13, t.name, class, labelWidth, y, width, barHeight, labelWidth+width+6, y+13, fmt.Sprintf(a.format, value))
			y += barDistance
		}
		y += 8
	}
	svg := fmt.Sprintf("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\" aria-label=\"What each proxy adds\">\n%s%s</svg>\n",
		chartWidth, y, chartWidth, y, style, out.String())
	return os.WriteFile(chartFile, []byte(svg), 0o644)
}
