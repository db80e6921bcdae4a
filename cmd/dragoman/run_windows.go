package main

import "os"

// passedSignals are those that do not end `run` while its command runs.
var passedSignals = []os.Signal{os.Interrupt}

// fromTerminal reports whether a signal is one that the command has got, too. The console sends it
// to all processes.
func fromTerminal(os.Signal) bool { return true }
