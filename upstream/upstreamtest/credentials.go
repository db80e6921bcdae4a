package upstreamtest

import (
	"crypto/x509"
	"encoding/pem"
	"os"
	"path/filepath"
)

// User writes a user's credentials file into a folder, as gcloud does, and returns its path. In the file,
// tokens come from the server at this URL, and the quota project is test-quota.
func (t *Tokens) User(folder, server string) (string, error) {
	return write(folder, "user.json", map[string]string{
		"type": "authorized_user", "client_id": "client.test", "client_secret": "secret",
		"refresh_token": t.secret("1//refresh"), "token_uri": server + "/token", "quota_project_id": "test-quota",
	})
}

// ServiceAccount writes the key file of a service account, as User does. Its project is test-project.
func (t *Tokens) ServiceAccount(folder, server string) (string, error) {
	key, err := t.serviceKey()
	if err != nil {
		return "", err
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return "", err
	}
	return write(folder, "service_account.json", map[string]string{
		"type": "service_account", "project_id": "test-project", "client_email": account, "private_key_id": t.secret("key"),
		"private_key": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})),
		"token_uri":   server + "/token",
	})
}

// ExternalAccount writes the file for workload identity federation, as User does. It also writes the file
// with the token of the other identity provider, which the first file names.
func (t *Tokens) ExternalAccount(folder, server string) (string, error) {
	subject := filepath.Join(folder, "subject_token")
	if err := os.WriteFile(subject, []byte(t.secret("subject")+"\n"), 0o600); err != nil {
		return "", err
	}
	return write(folder, "external_account.json", map[string]any{
		"type": "external_account", "audience": audience, "subject_token_type": "urn:ietf:params:oauth:token-type:jwt",
		"token_url": server + "/v1/token", "credential_source": map[string]string{"file": subject},
	})
}

// write writes a JSON file and returns its path.
func write(folder, name string, v any) (string, error) {
	path := filepath.Join(folder, name)
	return path, os.WriteFile(path, quote(v), 0o600)
}
