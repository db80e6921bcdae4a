package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"dragoman/proxy/nearest"
)

// setting is what there is to know of one value of the file: how it is read, what may stand there,
// and what it is in the end. The three are made of the same table, which is that of the keys around
// it: see [loader.top].
type setting struct {
	read   field
	schema func() schema // which is asked for seldom
	tag    string        // of YAML, of a value that is shown
	// shown returns the value in effect, nil if there is none: then it does not stand in the file
	// that config print writes. key is the whole path of the key.
	shown func(p *printer, key string) *yaml.Node
}

// field reads the value of one key into the configuration, or reports what is wrong with
// it. key is the whole path of the key, as problems name it.
type field func(n *yaml.Node, key string)

// named is a key, what it is for, and its value.
type named struct {
	name, about string
	setting
}

// fields are the keys of a mapping.
type fields []named

// find returns the value of a key.
func (fs fields) find(name string) (setting, bool) {
	i := slices.IndexFunc(fs, func(f named) bool { return f.name == name })
	if i < 0 {
		return setting{}, false
	}
	return fs[i].setting, true
}

// names returns the keys, sorted.
func (fs fields) names() []string {
	var names []string
	for _, f := range fs {
		names = append(names, f.name)
	}
	slices.Sort(names)
	return names
}

// object is a mapping with these keys, of which all of required have to be there.
func (r *yamlReader) object(fs fields, required ...string) setting {
	return setting{
		read: func(n *yaml.Node, key string) { r.mapping(n, key, fs) },
		schema: func() schema {
			s := objectSchema(fs, required)
			s.Type = nullable(s.Type)
			return s
		},
		shown: func(p *printer, key string) *yaml.Node { return p.mapping(fs, key) },
	}
}

// scalar makes a setting of a value that is shown as a text of this tag, "" for none.
func scalar(read field, tag string, s func() schema, shown func() string) setting {
	return setting{read, s, tag, func(p *printer, key string) *yaml.Node { return p.scalar(key, tag, shown()) }}
}

// otherwise says what counts where the file does not have the value.
func (s setting) otherwise(value string) setting {
	shown, schemaOf := s.shown, s.schema
	s.schema = func() schema { return schemaOf().withDefault(s.tag, value) }
	s.shown = func(p *printer, key string) *yaml.Node {
		if n := shown(p, key); n != nil {
			return n
		}
		return p.scalar(key, s.tag, value)
	}
	return s
}

// matching says what a text looks like.
func (s setting) matching(pattern string) setting {
	s.schema = func() schema { return schema{Type: "string", Pattern: pattern}.orReference() }
	return s
}

// text reads any text.
func (r *yamlReader) text(dst *string) setting {
	return scalar(func(n *yaml.Node, key string) {
		if s, ok := r.scalar(n, key); ok {
			*dst = s
		}
	}, "!!str", textSchema, func() string { return *dst })
}

// secretText reads a text that nobody is to see.
func (r *yamlReader) secretText(dst *string) setting {
	return setting{
		read: func(n *yaml.Node, key string) {
			if s, ok := r.secret(n, key); ok {
				*dst = s
			}
		},
		schema: textSchema,
		shown: func(p *printer, key string) *yaml.Node {
			if *dst == "" {
				return nil
			}
			return masked(p, key)
		},
	}
}

// path reads the path of a file. What file: stands for is no path but what the file holds, which
// may be a secret: it is not repeated.
func (r *yamlReader) path(dst *string) setting {
	return scalar(func(n *yaml.Node, key string) {
		if s, ok := r.scalar(n, key); !ok {
			return
		} else if isPath(n, s) {
			*dst = s
		} else {
			r.report(n.Line, key, "not the path of a file", "write the path alone, without file:, as in /etc/dragoman/tls.crt")
		}
	}, "!!str", pathSchema, func() string { return *dst })
}

// duration reads a duration of more than 0, as [time.ParseDuration] spells it.
func (r *yamlReader) duration(dst *time.Duration) setting { return r.lasting(dst, 1) }

// delay reads a duration that may be 0.
func (r *yamlReader) delay(dst *time.Duration) setting { return r.lasting(dst, 0) }

// longest is the longest duration that a configuration can have. A longer one is taken for a
// mistake.
const longest = 24 * time.Hour

// lasting reads a duration from least to longest.
func (r *yamlReader) lasting(dst *time.Duration, least time.Duration) setting {
	return scalar(func(n *yaml.Node, key string) {
		s, ok := r.scalar(n, key)
		if !ok {
			return
		}
		d, err := time.ParseDuration(s)
		switch {
		case err != nil:
			r.report(n.Line, key, fmt.Sprintf("%q is not a duration", s), "give a number and a unit, such as 500ms, 30s, 5m or 1h")
		case d < least:
			r.report(n.Line, key, "a timeout has to be longer than nothing", "give a positive duration, or remove the key for the default")
		case d > longest:
			r.report(n.Line, key, fmt.Sprintf("%v is longer than a day", d), "give at most 24h")
		default:
			*dst = d
		}
	}, "!!str", durationSchema, func() string {
		if *dst < least {
			return ""
		}
		return short(*dst)
	})
}

// short returns a duration as people write it: 10m, and not 10m0s.
func short(d time.Duration) string {
	s := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(s, zero) {
			s = s[:len(s)-2]
		}
	}
	return s
}

// between reads a whole number from least to most. 0 stands for a number that is not there.
func (r *yamlReader) between(dst *int64, least, most int64) setting {
	return scalar(func(n *yaml.Node, key string) {
		s, ok := r.scalar(n, key)
		if !ok {
			return
		}
		i, err := strconv.ParseInt(s, 10, 64)
		if err != nil || i < least || i > most {
			r.report(n.Line, key, fmt.Sprintf("%q is not a whole number from %d to %d", s, least, most), "write digits alone, within that range")
			return
		}
		*dst = i
	}, "!!int", func() schema { return numberSchema(least, most) }, func() string {
		if *dst == 0 {
			return ""
		}
		return strconv.FormatInt(*dst, 10)
	})
}

// boolean reads true or false, and no other words that YAML 1.1 has for them. What is shown may be
// "", for neither.
func (r *yamlReader) boolean(set func(bool), shown func() string) setting {
	return scalar(func(n *yaml.Node, key string) {
		s, ok := r.scalar(n, key)
		if !ok {
			return
		}
		if s != "true" && s != "false" {
			r.report(n.Line, key, fmt.Sprintf("%q is neither true nor false", s), "write true or false")
			return
		}
		set(s == "true")
	}, "!!bool", func() schema { return schema{Type: "boolean"}.orReference() }, shown)
}

// choice reads one of the words.
func (r *yamlReader) choice(dst *string, words []string) setting {
	return scalar(func(n *yaml.Node, key string) {
		s, ok := r.scalar(n, key)
		switch {
		case !ok:
		case slices.Contains(words, s):
			*dst = s
		default:
			fix := "use " + oneOf(words)
			if near := nearest.Word(s, words); near != "" {
				fix = fmt.Sprintf("did you mean %q?", near)
			}
			r.report(n.Line, key, fmt.Sprintf("%q is not known here", s), fix)
		}
	}, "!!str", func() schema { return schema{Type: "string", Enum: words}.orReference() }, func() string { return *dst })
}

// oneOfTwo reads one of two words, of which the second sets dst.
func (r *yamlReader) oneOfTwo(dst *bool, no, yes string) setting {
	word := no
	s := r.choice(&word, []string{no, yes})
	read := s.read
	s.read = func(n *yaml.Node, key string) {
		read(n, key)
		*dst = word == yes
	}
	return scalar(s.read, s.tag, s.schema, func() string {
		if *dst {
			return yes
		}
		return ""
	}).otherwise(no)
}

// list reads each element of a sequence, and shows so many.
func (r *yamlReader) list(element field, each func() schema, length func() int, shown func(p *printer, i int, key string) *yaml.Node) setting {
	return setting{
		read: func(n *yaml.Node, key string) {
			if n.Kind != yaml.SequenceNode {
				r.report(n.Line, key, "expected a list, found "+kindName(n), "write “- ” before each element, or [a, b]")
				return
			}
			for i, e := range n.Content {
				element(deref(e), elementKey(key, i))
			}
		},
		schema: func() schema {
			items := each()
			return schema{Type: nullable("array"), Items: &items}
		},
		shown: func(p *printer, key string) *yaml.Node {
			list := &yaml.Node{Kind: yaml.SequenceNode}
			for i := range length() {
				list.Content = append(list.Content, shown(p, i, elementKey(key, i)))
			}
			if len(list.Content) == 0 {
				return nil
			}
			return list
		},
	}
}

// texts is a list of texts, each of which has a reader of its own, and looks like this.
func (r *yamlReader) texts(element field, pattern string, dst *[]string) setting {
	each := func() schema {
		return schema{AnyOf: []schema{{Type: "string", Pattern: pattern}, {Type: "string", Pattern: reference}}}
	}
	return r.list(element, each, func() int { return len(*dst) }, func(p *printer, i int, key string) *yaml.Node {
		return p.scalar(key, "!!str", (*dst)[i])
	})
}

// elementKey returns the path of an element of a list.
func elementKey(key string, i int) string { return fmt.Sprintf("%s[%d]", key, i) }
