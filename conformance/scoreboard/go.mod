module dragoman/conformance/scoreboard

go 1.26.6

require dragoman v0.0.0

require github.com/go-json-experiment/json v0.0.0-20260820222146-c27c302e5fc3 // indirect

replace dragoman => ../..
