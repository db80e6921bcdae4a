package proxy

import (
	"slices"
	"strings"
)

// leftOut takes down which fields of the request the way that is asked leaves out.
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

// leaveOut takes down that a field of the request does not reach the model.
func (x *exchange) drop(field string, given bool) {
	if given && !slices.Contains(x.record.Dropped, field) {
		x.setDropped(append(x.record.Dropped, field))
	}
}

// printable lists names for a header. They are the client's own; those that
// would not be read back as one name are left out.
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
