package format

import (
	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// TagSlip is a row of the tables of misspelt tags.
type TagSlip struct {
	Format  string          // the first format in which the parser reads it
	Name    messages.Reason // the reason of the outcome
	About   string          // what the model wrote
	Example string          // for a tool f with the string parameters a and b
}

// TagSlips lists all rows: those of all families first, then those of each family.
func TagSlips() (list []TagSlip) {
	for _, row := range markup.Slips {
		list = append(list, TagSlip{row.Format, row.Name, row.About, row.Example})
	}
	listed := map[*markup.Slip]bool{}
	for _, f := range All() {
		for _, g := range f.spellings() {
			for i := range g.Slips {
				row := &g.Slips[i]
				if !listed[row] {
					listed[row] = true
					list = append(list, TagSlip{f.Name, row.Name, row.About, row.Example})
				}
			}
		}
	}
	return list
}
