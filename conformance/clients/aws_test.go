package clients

import "dragoman/conformance"

// notInConverse says why the Converse API cannot express a case.
const notInConverse = "its toolChoice has no `none`"

// aws are the SDKs of AWS.
var aws = []client{
	{name: "AWS SDK for Go", release: "1.63.10", api: "InvokeModel", program: goProgram("aws-go", "invoke"), dialect: conformance.Invoke},
	{
		name: "AWS SDK for Go", release: "1.63.10", api: "Converse", dialect: conformance.Converse,
		program: goProgram("aws-go", "converse"), cannot: map[string]string{conformance.NoTool: notInConverse},
	},
	{
		name: "boto3", release: "1.44.5", api: "InvokeModel", dialect: conformance.Invoke,
		program: pythonProgram("aws-python", "requirements.txt", "invoke"),
		cannot:  map[string]string{conformance.AbortWhole: "a call blocks until its end"},
	},
	{
		name: "boto3", release: "1.44.5", api: "Converse", dialect: conformance.Converse,
		program: pythonProgram("aws-python", "requirements.txt", "converse"),
		hides:   conformance.Hides{Refusals: true},
		cannot:  map[string]string{conformance.AbortWhole: "a call blocks until its end", conformance.NoTool: notInConverse},
	},
	{
		name: "AWS SDK for JavaScript", release: "3.1162.0", api: "InvokeModel", dialect: conformance.Invoke,
		program: nodeProgram("aws-javascript", "aws-javascript", "invoke"), cannot: doubles,
	},
	{
		name: "AWS SDK for JavaScript", release: "3.1162.0", api: "Converse", dialect: conformance.Converse,
		program: nodeProgram("aws-javascript", "aws-javascript", "converse"),
		cannot: map[string]string{
			conformance.LongNumbers: doubles[conformance.LongNumbers], conformance.NoTool: notInConverse,
		},
	},
}
