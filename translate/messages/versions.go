package messages

// The versions of the Messages API: the header anthropic-version, or the member
// anthropic_version of a body (docs/reference/messages-api.md §1).
const (
	// Version20230601 is what a request without a version is read as, and one with a
	// version that is not known.
	Version20230601 = "2023-06-01"
	// Version20261021 took the sampling parameters away, and documents and citations in
	// places where few clients have them.
	Version20261021 = "2026-10-21"
)

// The anthropic_version of the bodies that hosts of the models take in place of a header.
const (
	VersionBedrock = "bedrock-2023-05-31" // InvokeModel (docs/reference/bedrock.md §2a)
	VersionVertex  = "vertex-2023-10-16"  // rawPredict (docs/reference/vertex.md §2)
)
