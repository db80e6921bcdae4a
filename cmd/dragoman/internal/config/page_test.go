package config

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestKeysPage checks that the page of keys agrees with the fields of Config, their tags and their comments.
func TestKeysPage(t *testing.T) {
	page(t, "../../../../docs/reference/configuration-keys.md", keysPage(t))
}

// keysPage returns the page, with an entry of the same shape for each key.
func keysPage(t *testing.T) []byte {
	var text bytes.Buffer
	text.WriteString(`# Keys of the configuration file

For operators: every key of the file, in the order of ` + "`dragoman config print`" + `. ` + "`[]`" + ` means an element of a
list, ` + "`NAME`" + ` a name that you choose. [Configuration](configuration.md) explains how the file works.

<!-- keys: written by go test ./cmd/dragoman/internal/config -run Page -update -->
`)
	docs, contents := docsOf(t), []string{}
	everyKey(func(path string, _ key) {
		if !strings.ContainsAny(path, ".[") {
			contents = append(contents, fmt.Sprintf("[`%s`](#%s)", path, path))
		}
	})
	fmt.Fprintf(&text, "\n- %s\n", strings.Join(contents, " · "))
	everyKey(func(path string, k key) {
		level := "##"
		if strings.ContainsAny(path, ".[") {
			level = "###"
		}
		fmt.Fprintf(&text, "\n%s %s\n\n%s\n\n- Type: %s\n- Default: %s\n- Example: `%s: %s`\n- See also: %s\n",
			level, path, docs.of(k), typeOf(k), defaultOf(k), k.name, k.tag.Get("example"), linkTo(t, k.tag.Get("see")))
	})
	text.WriteString("\n<!-- /keys -->\n")
	return text.Bytes()
}

// typeOf describes the values of a key.
func typeOf(k key) string {
	var kinds string
	if only, some := k.tag.Lookup("kinds"); some {
		kinds = " (" + strings.ReplaceAll(only, " ", ", ") + ")"
	}
	return typeOfValue(k) + kinds
}

func typeOfValue(k key) string {
	switch is := k.tag.Get("is"); {
	case k.isList() && k.tag.Get("named") != "":
		return "mapping of names to mappings"
	case k.isList() && k.tag.Get("all") != "":
		return "list of names, or `" + k.tag.Get("all") + "`"
	case k.isList() && k.v.Type().Elem().Kind() == reflect.String:
		return "list of texts"
	case k.isList():
		return "list"
	case k.v.Kind() == reflect.Struct:
		return "mapping"
	case k.yamlTag() == "!!bool":
		return "`true` or `false`"
	case k.yamlTag() == "!!int":
		least, most := k.bounds()
		return fmt.Sprintf("whole number from %d to %d", least, most)
	case k.v.Type() == reflect.TypeFor[time.Duration]():
		return "duration, such as 500ms, 30s, 5m or 1h; at most " + cmp.Or(k.tag.Get("max"), short(longest))
	case k.v.Type() == reflect.TypeFor[Size]():
		return "size: a whole number and `KiB`, `MiB` or `GiB`"
	case len(k.words()) > 0:
		return "one of `" + strings.Join(k.words(), "`, `") + "`"
	case is == "path":
		return "path of a file"
	case is == "secret" || is == "URL":
		return is
	default:
		return "text"
	}
}

func defaultOf(k key) string {
	if words := k.tag.Get("usually"); words != "" {
		return words
	}
	if value := k.tag.Get("default"); value != "" {
		return "`" + value + "`"
	}
	if k.tag.Get("required") != "" {
		return "none: the key is required"
	}
	return "none"
}

// linkTo returns a link to a heading of a page in docs, with the heading's words.
func linkTo(t *testing.T, target string) string {
	t.Helper()
	name, anchor, _ := strings.Cut(target, "#")
	page, err := os.ReadFile(filepath.Join("../../../../docs", name))
	if err != nil {
		t.Fatal(err)
	}
	for _, match := range regexp.MustCompile(`(?m)^#+ (.+)$`).FindAllSubmatch(page, -1) {
		words := strings.NewReplacer(" ", "-", ",", "", "`", "").Replace(strings.ToLower(string(match[1])))
		if anchor == "" || anchor == words {
			link, within := strings.CutPrefix(target, "reference/")
			if !within {
				link = "../" + target
			}
			return fmt.Sprintf("[%s](%s)", match[1], link)
		}
	}
	t.Errorf("there is no %s", target)
	return ""
}
