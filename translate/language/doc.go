// Package language has the sentences that Dragoman says to a model, in each language.
package language
