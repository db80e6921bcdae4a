package upstream

import (
	"slices"
	"strings"
)

// keyBeginnings are the prefixes of keys and tokens of well-known servers.
var keyBeginnings = []string{"sk-", "sk_", "pk-", "rk-", "gsk_", "hf_", "xai-", "nvapi-", "ghp_", "glpat-", "r8_", "AIza", "AKIA", "ASIA", "eyJ"}

// secretNames are names of secrets, in lower case.
var secretNames = []string{"api_key", "api-key", "apikey", "x-api-key", "access_token", "auth_token", "client_secret", "secret", "password"}

// mask replaces a secret.
const mask = "***"

// masked returns a text with [mask] in place of likely secrets: words with the prefix of a key, words after
// "api_key:" or "Bearer", and the user and the query of a URL.
func masked(text string) string {
	const between = " \t\r\n\"'`<>,;()[]{}\\"
	var out strings.Builder
	last := ""       // the previous word, in lower case
	isValue := false // the next word is the value of a secret
	for text != "" {
		isURL := strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "https://")
		ends := between + ":="
		if isURL {
			ends = between
		}
		end := strings.IndexAny(text, ends)
		switch {
		case end < 0:
			end = len(text)
		case end == 0:
			if c := text[0]; c == ':' || c == '=' {
				isValue = slices.Contains(secretNames, last)
			}
			out.WriteByte(text[0])
			text = text[1:]
			continue
		}
		word := text[:end]
		text = text[end:]
		bare := strings.TrimRight(word, ".")
		switch {
		case isURL:
			out.WriteString(maskedURL(word))
		case isValue, looksLikeKey(bare), last == "bearer" && hasDigit(bare):
			out.WriteString(mask + word[len(bare):])
		default:
			out.WriteString(word)
		}
		last, isValue = strings.ToLower(word), false
	}
	return out.String()
}

// maskedURL returns a URL with its user and query masked.
func maskedURL(url string) string {
	scheme, rest, _ := strings.Cut(url, "://")
	host := rest
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		host = rest[:end]
	}
	if user := strings.LastIndexByte(host, '@'); user >= 0 {
		rest = mask + rest[user:]
	}
	if path, query, ok := strings.Cut(rest, "?"); ok && query != "" {
		rest = path + "?" + mask
	}
	return scheme + "://" + rest
}

// looksLikeKey reports whether a word has the prefix, the length and a digit of a key.
func looksLikeKey(word string) bool {
	const shortest = 10
	return len(word) >= shortest && hasDigit(word) &&
		slices.ContainsFunc(keyBeginnings, func(beginning string) bool { return strings.HasPrefix(word, beginning) })
}

func hasDigit(word string) bool { return strings.ContainsAny(word, "0123456789") }
