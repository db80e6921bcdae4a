module dragoman/conformance/readme

go 1.26.6

require dragoman v0.0.0

replace dragoman => ../..
