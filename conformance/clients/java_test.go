package clients

import "dragoman/conformance"

// java are clients in Java that only make conformance runs.
var java = []client{
	{
		name: "AWS SDK for Java", release: "2.54.14", api: "InvokeModel", dialect: conformance.Invoke,
		program: javaProgram("aws-java", "invoke"),
	},
	{
		name: "AWS SDK for Java", release: "2.54.14", api: "Converse", dialect: conformance.Converse,
		program: javaProgram("aws-java", "converse"), cannot: map[string]string{conformance.NoTool: notInConverse},
	},
}
