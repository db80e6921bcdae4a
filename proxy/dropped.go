package proxy

import (
	"slices"
	"strings"
)

// setDropped records which fields of the request do not reach the model that is asked,
// beside those that no model gets, and names them in x-dragoman-dropped. Another model
// may get more or fewer of them: each call replaces the list.
func (x *exchange) setDropped(fields []string) {
	fields = slices.Concat(x.conversion.DroppedWith(fields), x.ignored)
	slices.Sort(fields)
	fields = slices.Compact(fields)
	x.record.Dropped = slices.Clone(fields)
	if len(fields) == 0 {
		x.w.Header().Del("X-Dragoman-Dropped")
		return
	}
	x.w.Header().Set("X-Dragoman-Dropped", headerList(fields))
}

// drop adds a field to the list.
func (x *exchange) drop(field string) {
	if !slices.Contains(x.record.Dropped, field) {
		x.setDropped(append(x.record.Dropped, field))
	}
}

// headerList joins names for a header. The client chose them: a name that would not be
// read back as one is left out, and so are those beyond the first 50.
func headerList(names []string) string {
	const most, longest = 50, 100
	var list []string
	for _, name := range names[:min(len(names), most)] {
		if len(name) <= longest && strings.Trim(name, alphanumeric+"-_.") == "" {
			list = append(list, name)
		}
	}
	return strings.Join(list, ",")
}
