package proxy

const (
	// Each request adds retryShare to the budget of its model's retries, up to maxRetryBudget,
	// and each retry takes 1 out of it. A configured model that is down sees at most 1.2 calls
	// for each of five or more requests.
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
