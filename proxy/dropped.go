package proxy

import (
	"slices"
	"strings"
)

// setDropped records which fields of the request do not reach the model that is asked, and
// names them in x-dragoman-dropped, with those that no model gets and with the types of
// blocks that the client does not get. They are given as the Messages API names them, and
// the client is told of all in its own terms. Another model may get more or fewer of them:
// each call replaces the list.
func (x *exchange) setDropped(fields []string) {
	x.dropped = fields
	names := slices.Concat(x.conversion.DroppedWith(fields), x.ignored, x.leftOut)
	slices.Sort(names)
	x.record.Dropped = slices.Compact(names)
	if len(x.record.Dropped) == 0 {
		x.reply.header.Del("X-Dragoman-Dropped")
		return
	}
	x.reply.header.Set("X-Dragoman-Dropped", headerList(x.record.Dropped))
}

// drop adds a field to the list of [exchange.setDropped].
func (x *exchange) drop(field string) {
	if !slices.Contains(x.dropped, field) {
		x.setDropped(append(slices.Clip(x.dropped), field))
	}
}

// headerList joins names with commas, for a header. The client may have made a name up, so
// one that is long or holds a comma, say, is left out, and so are those after the first 50.
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
