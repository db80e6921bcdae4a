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

	// The longest body of a request, unpacked, in bytes.
	BodyBytes int64 `yaml:"body_bytes" default:"33554432" min:"1" max:"1073741824" example:"67108864"`

	// How many exchanges Dragoman answers at once. 0: as many as `max_connections` is without the key.
	MaxConcurrent int64 `yaml:"max_concurrent" default:"0" min:"0" max:"1048576" example:"300"`

	// How long the bodies of these exchanges may be together, unpacked, in bytes. 0: a quarter of the memory of the
	// process, if that memory is limited.
	MaxInflightBytes int64 `yaml:"max_inflight_bytes" default:"0" min:"0" max:"1099511627776" example:"67108864"`

	// How old a connection of a client may be, give or take a tenth. The answer to the next request ends the
	// connection, and open streams go on. 0s: no limit.
	MaxConnectionAge time.Duration `yaml:"max_connection_age" default:"0s" min:"0s" example:"5m"`

	// How many connections clients may have at once. Dragoman closes one more as soon as it is accepted.
	MaxConnections int64 `yaml:"max_connections" min:"1" max:"1048576" usually:"half of what the process may open, less a reserve of up to 128" example:"4000"`
}

// Timeouts are the keys below timeouts.
type Timeouts struct {
	// To connect to an upstream.
	Connect time.Duration `yaml:"connect" default:"5s" example:"2s"`

	// From asking the upstream until it accepts.
	FirstByte time.Duration `yaml:"first_byte" default:"10m" example:"2m"`

	// Between two pieces of the upstream's answer.
	Idle time.Duration `yaml:"idle" default:"5m" example:"90s"`

	// For a model that is being loaded, as imported models on Bedrock are when nobody asked them for a while. Dragoman
	// asks fallbacks first, and then this model again and again.
	ModelReady time.Duration `yaml:"model_ready" default:"5m" example:"10m" see:"how-to/text-models.md"`

	// From asking the upstream until the end.
	Total time.Duration `yaml:"total" default:"1h" example:"30m"`

	// For the client to take what was written.
	WriteStall time.Duration `yaml:"write_stall" default:"1m" example:"30s"`

	// From asking the upstream until a stream begins without it, with comments that keep the connection alive.
	// 0s: never.
	EarlyCommit time.Duration `yaml:"early_commit_after" default:"0s" is:"early commit" min:"0s" max:"1h" example:"30s" see:"how-to/deployment.md#balancers"`

	// From SIGTERM until the end. Dragoman ends open exchanges with an error two seconds before, or halfway of a
	// drain that is shorter than four seconds. A change takes a restart.
	Drain time.Duration `yaml:"drain" default:"10m" example:"2m" see:"explanation/lifecycle.md#stopping"`

	// From SIGTERM until Dragoman takes no more connections: what sends them has to find out first. It is part of
	// `drain`. A change takes a restart.
	DrainDelay time.Duration `yaml:"drain_delay" min:"0s" usually:"5s, or half of timeouts.drain if that is less; 0s if listen is on loopback" example:"20s" see:"explanation/lifecycle.md#stopping"`
}

// Proxy returns the timeouts of an exchange.
func (t Timeouts) Proxy() proxy.Timeouts {
	return proxy.Timeouts{FirstByte: t.FirstByte, Idle: t.Idle, ModelReady: t.ModelReady, Total: t.Total, WriteStall: t.WriteStall, EarlyCommit: t.EarlyCommit}
}

// Inspector are the keys below inspector.
type Inspector struct {
	// Whether Dragoman keeps what clients and models write in memory, and shows it at `/inspector/` of the admin
	// listener. The page needs the token that the start prints. `admin_listen` has to be on loopback then (exit code
	// 78). `serve --inspect` is the same as `true`.
	Enabled bool `yaml:"enabled" default:"false" alone:"true" example:"true" see:"how-to/inspector.md#to-turn-it-on"`

	// How many exchanges can be opened. Of older ones, the list has a line.
	Exchanges int64 `yaml:"exchanges" default:"1000" min:"1" max:"10000" example:"5000" see:"how-to/inspector.md#how-much-is-kept"`

	// How many bytes the exchanges that can be opened take together.
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
