package main

import "os"

// passedSignals are the signals that do not end `run` while its command runs.
var passedSignals = []os.Signal{os.Interrupt}

// fromTerminal reports whether the command has received the signal, too. The console sends it to all processes.
func fromTerminal(os.Signal) bool { return true }
