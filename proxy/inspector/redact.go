package inspector

import "strings"

// redacted replaces hidden text.
const redacted = "REDACTED"

// secretPrefixes are the prefixes of known kinds of credentials, in lower case, with their minimal length: keys of
// model APIs, AWS, GitHub, GitLab, Slack, Hugging Face and Google, and JSON Web Tokens.
var secretPrefixes = []struct {
	prefix string
	least  int
}{
	{"sk-", 15}, {"pk-", 15}, {"rk-", 15}, {"akia", 20}, {"asia", 20},
	{"ghp_", 20}, {"gho_", 20}, {"ghu_", 20}, {"ghs_", 20}, {"ghr_", 20}, {"github_pat_", 20}, {"glpat-", 20},
	{"xoxa-", 20}, {"xoxb-", 20}, {"xoxp-", 20}, {"xoxr-", 20}, {"xoxs-", 20}, {"hf_", 20}, {"aiza", 20}, {"ya29.", 20}, {"eyj", 30},
}

// redact returns a text, perhaps JSON, in which a word replaces everything that looks like a credential or an email
// address. The prefix of a credential stays.
func redact(s string) string {
	s = redactPrivateKeys(s)
	var out strings.Builder
	bearer := false // the previous word announces a token
	for s != "" {
		gap := indexOr(s, isWordRune)
		if gap > 0 && gap < len(s) && s[gap-1] == '\\' && strings.IndexByte("nrtbf", s[gap]) >= 0 {
			gap++ // the letter of a JSON escape is not part of the word
		}
		out.WriteString(s[:gap])
		s = s[gap:]
		n := indexOr(s, func(r rune) bool { return !isWordRune(r) })
		word := s[:n]
		s = s[n:]
		if bearer && len(word) >= 16 {
			out.WriteString(redacted)
		} else {
			out.WriteString(redactWord(word))
		}
		bearer = strings.EqualFold(word, "bearer")
	}
	return out.String()
}

// indexOr returns the index of the first rune that satisfies f, or the length of s.
func indexOr(s string, f func(rune) bool) int {
	if n := strings.IndexFunc(s, f); n >= 0 {
		return n
	}
	return len(s)
}

// isWordRune reports whether r can be part of a credential or an email address.
func isWordRune(r rune) bool {
	return '0' <= r && r <= '9' || isLetter(r) || strings.ContainsRune("_-.~+/=@%", r)
}

func isLetter(r rune) bool { return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' }

// redactWord returns a word, or what is left of it. A credential may follow a name: "key=sk-…".
func redactWord(word string) string {
	for at := 0; at < len(word); at++ {
		if at > 0 && strings.IndexByte("=/+~%", word[at-1]) < 0 {
			continue
		}
		for _, secret := range secretPrefixes {
			n := len(secret.prefix)
			if len(word)-at >= secret.least && strings.EqualFold(word[at:at+n], secret.prefix) {
				return word[:at+n] + redacted
			}
		}
	}
	address := strings.TrimRight(word, "./")
	name, host, ok := strings.Cut(address, "@")
	dot := strings.LastIndexByte(host, '.')
	if !ok || name == "" || dot <= 0 || dot == len(host)-1 || indexOr(host[dot+1:], func(r rune) bool { return !isLetter(r) }) < len(host)-dot-1 {
		return word
	}
	return redacted + word[len(address):]
}

// redactPrivateKeys replaces private keys in PEM.
func redactPrivateKeys(s string) string {
	const begin, kind, end, longestKind = "-----BEGIN ", "PRIVATE KEY-----", "-----END ", 40
	var out strings.Builder
	for {
		before, after, ok := strings.Cut(s, begin)
		out.WriteString(before)
		if !ok {
			return out.String()
		}
		out.WriteString(begin)
		s = after
		if at := strings.Index(s[:min(len(s), longestKind)], kind); at < 0 || strings.ContainsAny(s[:at], "-\n") {
			continue
		}
		out.WriteString(redacted)
		_, s, _ = strings.Cut(s, end)
		_, s, _ = strings.Cut(s, kind)
	}
}
