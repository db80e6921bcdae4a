//go:build !linux

package main

import "syscall"

// endingWithParent is for systems that do not end a process with the one that began it.
func endingWithParent() *syscall.SysProcAttr { return nil }
