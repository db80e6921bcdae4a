// Package gosnippet pins what the README's Go program imports. The test runs that program with the
// go.mod and go.sum of this folder, which these imports keep tidy.
package gosnippet

import (
	_ "github.com/anthropics/anthropic-sdk-go/v2"
	_ "github.com/anthropics/anthropic-sdk-go/v2/option"
)
