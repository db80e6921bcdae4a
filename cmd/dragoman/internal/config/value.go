package config

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"dragoman/proxy/nearest"
)

// fault is what is wrong with a value, and what to do about it.
type fault struct{ cause, fix string }

// set sets the value from a text, or returns what is wrong with the text.
func (k key) set(s string) *fault {
	if check := checks[k.tag.Get("is")]; check != nil {
		if bad := check(s); bad != nil {
			return bad
		}
	}
	switch p := k.v.Addr().Interface().(type) {
	case interface{ set(string) *fault }:
		return p.set(s)
	case *[]string:
		return k.setAll(p, s)
	case *string:
		if words := k.words(); len(words) > 0 && !slices.Contains(words, s) {
			return unknown(s, words)
		}
		*p = s
	case *bool:
		return readBool(s, func(b bool) { *p = b })
	case **bool: // nil is the default
		if *p = nil; s == k.tag.Get("default") {
			return nil
		}
		return readBool(s, func(b bool) { *p = &b })
	case *int64:
		least, most := k.bounds()
		i, err := strconv.ParseInt(s, 10, 64)
		if err != nil || i < least || i > most {
			return &fault{fmt.Sprintf("%q is not a whole number from %d to %d", s, least, most), "write only digits, within that range"}
		}
		*p = i
	case *time.Duration:
		d, err := time.ParseDuration(s)
		switch {
		case err != nil:
			return &fault{fmt.Sprintf("%q is not a duration", s), "give a number and a unit, such as 500ms, 30s, 5m or 1h"}
		case d < k.shortest():
			return &fault{"a timeout must be longer than 0", "give a positive duration, or remove the key for the default"}
		case d > longest:
			return &fault{fmt.Sprintf("%v is longer than a day", d), "give at most " + short(longest)}
		}
		*p = d
	default:
		panic(k.name + " is of a kind that no value can be")
	}
	return nil
}

// text returns the value as the file has it; "" for none.
func (k key) text() string {
	switch p := k.v.Addr().Interface().(type) {
	case interface{ text() string }:
		return p.text()
	case *[]string:
		if all := k.tag.Get("all"); slices.Contains(*p, all) {
			return all
		}
	case *string:
		if k.tag.Get("is") == "URL" {
			return withoutPassword(*p)
		}
		return *p
	case *bool:
		if *p {
			return "true"
		}
	case **bool:
		if *p != nil {
			return strconv.FormatBool(**p)
		}
	case *int64:
		if *p != 0 {
			return strconv.FormatInt(*p, 10)
		}
	case *time.Duration:
		if *p >= k.shortest() {
			return short(*p)
		}
	}
	return ""
}

// yamlTag returns YAML's tag for values of this type.
func (k key) yamlTag() string {
	switch k.v.Interface().(type) {
	case bool, *bool:
		return "!!bool"
	case int64:
		return "!!int"
	}
	return "!!str"
}

// setAll sets a list from the one word that means all elements.
func (k key) setAll(list *[]string, s string) *fault {
	all := k.tag.Get("all")
	if s != all {
		return unknown(s, []string{all})
	}
	*list = []string{all}
	return nil
}

// readBool accepts true and false, but not the other words of YAML 1.1.
func readBool(s string, set func(bool)) *fault {
	if s != "true" && s != "false" {
		return &fault{fmt.Sprintf("%q is neither true nor false", s), "write true or false"}
	}
	set(s == "true")
	return nil
}

// bounds returns the minimum and the maximum of a number.
func (k key) bounds() (least, most int64) {
	least, _ = strconv.ParseInt(k.tag.Get("min"), 10, 64)
	most, _ = strconv.ParseInt(k.tag.Get("max"), 10, 64)
	return least, most
}

// longest is the longest duration in a configuration. A longer one is taken for a mistake.
const longest = 24 * time.Hour

// shortest returns the shortest duration of a key.
func (k key) shortest() time.Duration {
	if k.tag.Get("min") == "0s" {
		return 0
	}
	return 1
}

// short returns a duration in short form: 10m, not 10m0s.
func short(d time.Duration) string {
	s := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(s, zero) {
			s = s[:len(s)-2]
		}
	}
	return s
}

// unknown returns the fault of a word that is not in words.
func unknown(s string, words []string) *fault {
	return &fault{fmt.Sprintf("unknown value %q", s), suggest(s, words, "use "+oneOf(words))}
}

// suggest returns a question with the nearest word, or otherwise if no word is near.
func suggest(s string, words []string, otherwise string) string {
	if near := nearest.Word(s, words); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return otherwise
}

// withoutPassword returns a URL without its password. A user name without a password may be a secret, too.
func withoutPassword(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.User == nil {
		return s
	}
	if password, _ := u.User.Password(); password == "" {
		u.User = url.User("xxxxx")
	}
	return u.Redacted()
}
