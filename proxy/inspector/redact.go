package inspector

import "regexp"

// secrets are texts that look like credentials, and addresses of people. What is in the first group
// stays.
var secrets = regexp.MustCompile(`(?i)` +
	`\b(sk-|pk-|rk-)[a-z0-9_-]{12,}` + // of model APIs and payments
	`|\b(AKIA|ASIA)[A-Z0-9]{16}\b` + // of AWS
	`|\b(gh[pousr]_|github_pat_|glpat-|xox[abprs]-|hf_|AIza|ya29\.)[a-z0-9_.-]{16,}` +
	`|\b(eyJ)[a-z0-9_-]{8,}\.[a-z0-9_-]{8,}\.[a-z0-9_-]{8,}` + // JSON Web Tokens
	`|\b(bearer )[a-z0-9._~+/=-]{16,}` +
	`|(-----BEGIN )[a-z ]*PRIVATE KEY-----[a-z0-9+/=\s\\]*-----END [a-z ]*PRIVATE KEY-----` +
	`|\b()[a-z0-9._%+-]{1,64}@[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})+\b`)

// redact returns a text in which what looks like a credential, or is an address of e-mail, is replaced
// by a word.
func redact(s string) string {
	return secrets.ReplaceAllString(s, "${1}${2}${3}${4}${5}${6}REDACTED")
}
