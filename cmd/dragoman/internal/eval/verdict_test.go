package eval

import "testing"

// TestVerdict: there is a winner only if one question more or less would not change it.
func TestVerdict(t *testing.T) {
	type row struct {
		format string
		right  int
		calls  int
	}
	for _, tt := range []struct {
		name, want, best string
		rows             []row
	}{
		{"one format", "json: 7 of 20 right.", "json", []row{{"json", 7, 0}}},
		{"a winner", "Winner: json, with 12 of 20 right. Next: legacy, with 10.", "json", []row{{"legacy", 10, 0}, {"json", 12, 0}}},
		{"one question more", "No clear winner: one question would turn it (of 20 right: json 11, legacy 10).", "legacy", []row{{"legacy", 10, 0}, {"json", 11, 0}, {"attribute", 3, 0}}},
		{"as many", "No clear winner: one question would turn it (of 20 right: attribute 9, json 9).", "attribute", []row{{"legacy", 2, 0}, {"attribute", 9, 0}, {"json", 9, 0}}},
		{"the server", "Winner: server, with 15 of 20 right. Next: json, with 8.", "server", []row{{"legacy", 1, 0}, {"json", 8, 0}, {Server, 15, 16}}},
		{"the server by one question", "No clear winner: one question would turn it (of 20 right: native 9, json 8).", "json", []row{{"legacy", 1, 0}, {"json", 8, 0}, {Native, 9, 9}}},
		{"a server that finds no call", "Winner: server, with 4 of 20 right. Next: json, with 2.", "json", []row{{"json", 2, 9}, {Server, 4, 0}}},
		{"the server alone", "native: 3 of 20 right.", "native", []row{{Native, 3, 3}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := &Report{}
			for _, row := range tt.rows {
				r.Formats = append(r.Formats, Summary{Format: row.format, Questions: 20, Right: row.right, Calls: row.calls})
			}
			if got := r.Verdict(); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			if got := r.Best("legacy"); got != tt.best {
				t.Errorf("best is %q, want %q", got, tt.best)
			}
		})
	}
}
