// Package format has the conventions in which models write calls, as data: one file for each family of models.
//
// A [Format] says how tools, calls and results look in a prompt, and with which tags and marks the calls and the
// thinking of an answer begin and end. Package prompt writes by it, and package answer reads by it.
package format
