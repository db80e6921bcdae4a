// Package format declares how models write calls, as data: one file for each family of models.
//
// A [Format] declares how tools, calls and results look in a prompt, and which tags and marks
// enclose the calls and the thinking of an answer. Package prompt writes prompts with it, and
// package answer reads answers with it.
package format
