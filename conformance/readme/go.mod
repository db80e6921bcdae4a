module dragoman/conformance/readme

go 1.26.0
