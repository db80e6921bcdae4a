package config

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"dragoman/proxy"
)

// Limits are the keys below limits.
type Limits struct {
	// How often Dragoman tries one upstream for a request, before the first event of the answer.
	Attempts int64 `yaml:"attempts" default:"2" min:"1" max:"100" example:"3" see:"reference/upstream-errors.md"`

	// The longest body of a request, in bytes, after decompression.
	BodyBytes int64 `yaml:"body_bytes" default:"33554432" min:"1" max:"1073741824" example:"67108864"`

	// The most exchanges at the same time. 0: the default of `max_connections`.
	MaxConcurrent int64 `yaml:"max_concurrent" default:"0" min:"0" max:"1048576" example:"300"`

	// The most bytes that the bodies of all open exchanges have together, after decompression. 0: a quarter of the
	// memory of the process, if that memory is limited.
	MaxInflightBytes int64 `yaml:"max_inflight_bytes" default:"0" min:"0" max:"1099511627776" example:"67108864"`

	// The age at which Dragoman ends a client's connection, give or take a tenth. It answers one more request and then
	// closes the connection. Open streams go on. 0s: no limit.
	MaxConnectionAge time.Duration `yaml:"max_connection_age" default:"0s" min:"0s" example:"5m"`

	// The most connections of clients at the same time. Dragoman accepts and closes any further connection.
	MaxConnections int64 `yaml:"max_connections" min:"1" max:"1048576" usually:"half of the files that the process may open, less a reserve of up to 128" example:"4000"`
}

// Timeouts are the keys below timeouts.
type Timeouts struct {
	// The time to connect to an upstream.
	Connect time.Duration `yaml:"connect" default:"5s" example:"2s"`

	// The time from the request to the upstream until the upstream accepts it.
	FirstByte time.Duration `yaml:"first_byte" default:"10m" example:"2m"`

	// The time between two pieces of the upstream's answer.
	Idle time.Duration `yaml:"idle" default:"5m" example:"90s"`

	// The time to wait for a model that is loading. Bedrock unloads imported models that nobody asks. Dragoman asks the
	// fallbacks first, and then this model again and again.
	ModelReady time.Duration `yaml:"model_ready" default:"5m" example:"10m" see:"how-to/text-models.md"`

	// The time from the request to the upstream until the end of the answer.
	Total time.Duration `yaml:"total" default:"1h" example:"30m"`

	// The time for a client to read what Dragoman has written.
	WriteStall time.Duration `yaml:"write_stall" default:"1m" example:"30s"`

	// The time to wait for the first event. After it, Dragoman begins the stream itself, with comments that keep the
	// connection alive. 0s: never.
	EarlyCommit time.Duration `yaml:"early_commit_after" default:"0s" is:"early commit" min:"0s" max:"1h" example:"30s" see:"how-to/deployment.md#balancers"`

	// The time from SIGTERM until the process ends. Dragoman ends open exchanges with an error two seconds before the
	// end. If the drain is shorter than four seconds, it does so halfway. A change needs a restart.
	Drain time.Duration `yaml:"drain" default:"10m" example:"2m" see:"explanation/lifecycle.md#stopping"`

	// The time from SIGTERM until Dragoman takes no more connections, so that balancers can notice the stop. It is part
	// of `drain`. A change needs a restart.
	DrainDelay time.Duration `yaml:"drain_delay" min:"0s" usually:"5s, or half of timeouts.drain if that is less; 0s if listen is on loopback" example:"20s" see:"explanation/lifecycle.md#stopping"`
}

// Proxy returns the timeouts of an exchange.
func (t Timeouts) Proxy() proxy.Timeouts {
	return proxy.Timeouts{FirstByte: t.FirstByte, Idle: t.Idle, ModelReady: t.ModelReady, Total: t.Total, WriteStall: t.WriteStall, EarlyCommit: t.EarlyCommit}
}

// Inspector are the keys below inspector.
type Inspector struct {
	// Whether the inspector is on. Then Dragoman keeps in memory what clients and models write, and shows it at
	// `/inspector/` of the admin listener. The page asks for the token that `serve` prints. `admin_listen` must be on
	// loopback, else `serve` exits with 78. `serve --inspect` does the same as `true`.
	Enabled bool `yaml:"enabled" default:"false" alone:"true" example:"true" see:"how-to/inspector.md#to-turn-it-on"`

	// The most exchanges that the inspector keeps whole. Of older exchanges, it keeps a line in the list.
	Exchanges int64 `yaml:"exchanges" default:"1000" min:"1" max:"10000" example:"5000" see:"how-to/inspector.md#how-much-is-kept"`

	// The most bytes that these exchanges take together.
	Bytes Size `yaml:"bytes" default:"64MiB" pattern:"^[1-9][0-9]{0,5}(KiB|MiB|GiB)$" example:"256MiB" see:"how-to/inspector.md#how-much-is-kept"`
}

// Size is a number of bytes, written with a unit.
type Size int64

// units are the units of a Size, largest first.
var units = []struct {
	name  string
	bytes Size
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}}

func (s *Size) set(text string) *fault {
	for _, unit := range units {
		digits, ok := strings.CutSuffix(text, unit.name)
		if n, err := strconv.ParseUint(digits, 10, 20); ok && err == nil && n > 0 {
			*s = Size(n) * unit.bytes
			return nil
		}
	}
	return &fault{fmt.Sprintf("%q is not a size", text), "give a whole number and a unit, such as 512KiB, 64MiB or 1GiB"}
}

func (s *Size) text() string {
	for _, unit := range units {
		if *s > 0 && *s%unit.bytes == 0 {
			return fmt.Sprintf("%d%s", *s/unit.bytes, unit.name)
		}
	}
	return ""
}
