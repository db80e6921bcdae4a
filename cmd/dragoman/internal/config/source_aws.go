package config

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	awsconfig "github.com/aws/aws-sdk-go-v2/config"
)

// checkRegion sets a missing region of an upstream to the one that the AWS SDKs would use, and reports a region that is
// missing or invalid.
func (l *loader) checkRegion(u *Upstream, key string) {
	if u.Region == "" {
		region, err := awsRegion(l.getenv, u.Profile)
		switch {
		case err != nil:
			l.reportAt(key, err.Error(), "add region, or correct the profile")
		case region == "":
			l.reportAt(key, "the upstream has no region, and neither has the environment", "add region: us-east-1, or set AWS_REGION")
		}
		u.Region = region
		l.derive(key+".region", l.regionFrom(u.Profile))
	}
	if !isRegion(u.Region) {
		l.reportAt(key, fmt.Sprintf("%q is not a region", u.Region), "write it as in us-east-1")
	}
}

// isRegion reports whether s can be a region. A host name is built from it, so it must not have a dot or a slash.
func isRegion(s string) bool {
	return strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

// regionFrom returns where awsRegion finds a region.
func (l *loader) regionFrom(profile string) string {
	name, _ := l.first([]string{"AWS_REGION", "AWS_DEFAULT_REGION"})
	return cmp.Or(name, strings.TrimSpace("the AWS profile "+cmp.Or(profile, l.getenv("AWS_PROFILE"), l.getenv("AWS_DEFAULT_PROFILE"))))
}

// awsRegion returns the region that the AWS SDKs would use: from the variables, or else from the profile; "" if neither
// has one. An empty profile means the one in AWS_PROFILE, or the default profile. A named profile that does not exist
// is an error.
func awsRegion(getenv func(string) string, profile string) (string, error) {
	if region := cmp.Or(getenv("AWS_REGION"), getenv("AWS_DEFAULT_REGION")); region != "" {
		return region, nil
	}
	asked := cmp.Or(profile, getenv("AWS_PROFILE"), getenv("AWS_DEFAULT_PROFILE"))
	shared, err := awsconfig.LoadSharedConfigProfile(context.Background(), cmp.Or(asked, "default"),
		func(o *awsconfig.LoadSharedConfigOptions) {
			home := cmp.Or(getenv("HOME"), getenv("USERPROFILE"))
			o.ConfigFiles = []string{cmp.Or(getenv("AWS_CONFIG_FILE"), filepath.Join(home, ".aws", "config"))}
			o.CredentialsFiles = []string{cmp.Or(getenv("AWS_SHARED_CREDENTIALS_FILE"), filepath.Join(home, ".aws", "credentials"))}
		})
	var absent awsconfig.SharedConfigProfileNotExistError
	switch {
	case err == nil:
		return shared.Region, nil
	case errors.As(err, &absent) && asked == "":
		return "", nil
	case errors.As(err, &absent):
		return "", fmt.Errorf("the AWS configuration has no profile %q", asked)
	default: // the SDK's message has line breaks
		return "", errors.New(strings.Join(strings.Fields(err.Error()), " "))
	}
}
