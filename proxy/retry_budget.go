package proxy

const (
	// Each request adds retryShare to a budget of retries, up to maxRetryBudget, and each
	// retry takes 1 out of it. An upstream that is down sees at most 1.2 calls for each of
	// five or more requests, whichever models they name: a budget begins with what is taken
	// out of another.
	retryShare     = .11
	maxRetryBudget = 1
)

// retryBudget is how many retries may be done.
type retryBudget float64

// add adds what one request is worth.
func (b *retryBudget) add() { *b = min(*b+retryShare, maxRetryBudget) }

// take reports whether there is a retry left, and takes it.
func (b *retryBudget) take() bool {
	if *b < 1 {
		return false
	}
	*b--
	return true
}
