module dragoman/conformance/load

go 1.26.6

require (
	github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream v1.7.26
	golang.org/x/sys v0.49.0
)

require github.com/aws/smithy-go v1.28.8 // indirect
