// Package kyverno has no code. Its module pins Kyverno's command line, which ../inject uses to test the
// policy for Kyverno. The module is separate, because Kyverno needs another release of the Kubernetes
// libraries.
package kyverno
