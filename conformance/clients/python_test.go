package clients

// python are clients in Python that only make conformance runs.
var python = []client{}
