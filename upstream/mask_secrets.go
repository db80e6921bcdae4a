package upstream

import (
	"errors"
	"slices"
	"strings"
)

// keyBeginnings are the prefixes of keys and tokens of well-known servers.
var keyBeginnings = []string{"sk-", "sk_", "pk-", "rk-", "gsk_", "hf_", "xai-", "nvapi-", "ghp_", "glpat-", "r8_", "AIza", "AKIA", "ASIA", "eyJ", "ya29."}

// secretNames are names of secrets, in lower case.
var secretNames = []string{
	"api_key", "api-key", "apikey", "x-api-key", "access_token", "auth_token", "client_secret", "secret", "password",
	"aws_secret_access_key", "secret_access_key", "secretaccesskey", "aws_session_token", "session_token", "sessiontoken",
	"x-amz-security-token", "refresh_token", "id_token", "private_key", "passwd",
}

// mask replaces a secret.
const mask = "***"

// Bytes that end a word. Within a URL or the value of a secret, : and = do not.
const (
	endsValue = " \t\r\n\"'`<>,;()[]{}\\"
	endsWord  = endsValue + ":="
)

// masked returns a text with [mask] in place of likely secrets: words with the prefix of a key, words after
// "api_key:", "Bearer" or "Basic", the user and the query of a URL, and user:password before a host.
func masked(text string) string {
	var out strings.Builder
	var last, before string // the previous words, in lower case
	isValue := false        // the next word is the value of a secret
	for text != "" {
		if c := text[0]; strings.IndexByte(endsWord, c) >= 0 {
			if c == ':' || c == '=' {
				isValue = slices.Contains(secretNames, last)
			}
			out.WriteByte(c)
			text = text[1:]
			continue
		}
		value := upTo(text, endsValue)
		word := upTo(value, endsWord)
		bare := strings.TrimRight(word, ".")
		switch at := strings.LastIndexByte(value, '@'); {
		case strings.HasPrefix(value, "http://"), strings.HasPrefix(value, "https://"):
			word = value
			out.WriteString(maskedURL(word))
		case isValue:
			word = value
			out.WriteString(mask + word[len(strings.TrimRight(word, ".")):])
		case at > 0 && strings.IndexByte(value[:at], ':') > 0: // user:password@host
			word = value[:at]
			scheme := 0
			if i := strings.Index(word, "://"); i > 0 {
				scheme = i + len("://")
			}
			out.WriteString(word[:scheme] + mask)
		case looksLikeKey(bare):
			word = value
			out.WriteString(mask + word[len(strings.TrimRight(word, ".:=")):])
		case (last == "bearer" || last == "basic") && (before == "authorization" || looksEncoded(bare)):
			out.WriteString(mask + word[len(bare):])
		default:
			out.WriteString(word)
		}
		text = text[len(word):]
		last, before, isValue = strings.ToLower(word), last, false
	}
	return out.String()
}

// upTo returns the text before the first of these bytes.
func upTo(text, ends string) string {
	if end := strings.IndexAny(text, ends); end >= 0 {
		return text[:end]
	}
	return text
}

// hideKey returns err without the configured key of the upstream, whatever the key looks like. A server may repeat it
// in any text.
func hideKey(err error, key string) error {
	var known *Error
	if key == "" || !errors.As(err, &known) || known.ours {
		return err
	}
	own := *known
	own.Message = withoutKey(known.Message, key)
	if a, ok := known.Err.(*answered); ok && a.err != nil && strings.Contains(a.err.Error(), key) { // only check shows it
		own.Err = &answered{a.status, a.code, errors.New(withoutKey(a.err.Error(), key))}
	}
	return &own
}

// withoutKey returns a text with [mask] in place of a key. A short key must stand as a word, or it would hide parts of
// other words. The text may be cut within the key.
func withoutKey(text, key string) string {
	const long = 8
	var out strings.Builder
	for {
		at := strings.Index(text, key)
		if at < 0 {
			break
		}
		end := at + len(key)
		out.WriteString(text[:at])
		if len(key) < long && (at > 0 && isWordByte(text[at-1]) || end < len(text) && isWordByte(text[end])) {
			out.WriteString(key)
		} else {
			out.WriteString(mask)
		}
		text = text[end:]
	}
	if cut, ok := strings.CutSuffix(text, "…"); ok {
		for n := min(len(key), len(cut)); n >= long/2; n-- {
			if strings.HasSuffix(cut, key[:n]) {
				text = cut[:len(cut)-n] + mask + "…"
				break
			}
		}
	}
	return out.String() + text
}

func isWordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
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

// looksEncoded reports whether a word is not English: it has a digit, or a capital behind a small letter.
func looksEncoded(word string) bool {
	for i := 1; i < len(word); i++ {
		if word[i-1] >= 'a' && word[i-1] <= 'z' && word[i] >= 'A' && word[i] <= 'Z' {
			return true
		}
	}
	return hasDigit(word)
}

func hasDigit(word string) bool { return strings.ContainsAny(word, "0123456789") }
