// Package kyverno has no code: its module pins Kyverno's command line, with which ../inject tests the
// policy for Kyverno. That is a module of its own, because Kyverno is built for another release of the
// Kubernetes libraries than the rest.
package kyverno
