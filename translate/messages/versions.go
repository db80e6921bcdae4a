package messages

// The versions of the Messages API, in the header anthropic-version or the body's anthropic_version
// (docs/reference/messages-api.md §1).
const (
	// Version20230601 is the default, and the version that an unknown version counts as.
	Version20230601 = "2023-06-01"
	// Version20261021 removed the sampling parameters, and documents and citations in places where
	// few clients use them.
	Version20261021 = "2026-10-21"
)

// The anthropic_version in bodies for Bedrock and Vertex AI, which take no header.
const (
	VersionBedrock = "bedrock-2023-05-31" // InvokeModel (docs/reference/bedrock.md §2a)
	VersionVertex  = "vertex-2023-10-16"  // rawPredict (docs/reference/vertex.md §2)
)
