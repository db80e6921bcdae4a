// Package language has the sentences that are said to a model, in each language.
package language
