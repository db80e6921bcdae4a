package schema

// inOrder visits schemas, each once and after those that it leads to. Where they lead in
// a circle, one of them is visited before what it leads to.
func inOrder(all []*Schema, next func(*Schema) []*Schema, visit func(*Schema)) {
	const entered, done = 1, 2
	type step struct {
		*Schema
		next []*Schema
	}
	for _, s := range all {
		s.state = 0
	}
	var path []step
	enter := func(s *Schema) {
		if s.state == 0 && s != anySchema {
			s.state = entered
			path = append(path, step{s, next(s)})
		}
	}
	for _, s := range all {
		enter(s)
		for len(path) > 0 {
			last := &path[len(path)-1]
			if len(last.next) == 0 {
				visit(last.Schema)
				last.state = done
				path = path[:len(path)-1]
				continue
			}
			to := last.next[0]
			last.next = last.next[1:]
			enter(to)
		}
	}
}
