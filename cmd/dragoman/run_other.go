//go:build !linux

package main

import "syscall"

// endingWithParent is for systems that cannot end a process together with its parent.
func endingWithParent() *syscall.SysProcAttr { return nil }
