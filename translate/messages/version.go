package messages

// version20261021 is the API version that took the sampling parameters away
// (reference/messages-api.md §1).
const version20261021 = "2026-10-21"
