package serve

import "testing"

func TestShares(t *testing.T) {
	for _, tt := range []struct{ descriptors, clients, admins int64 }{{1 << 20, 524224, 64}, {1024, 448, 64}, {256, 96, 32}, {64, 24, 8}, {1, 1, 1}} {
		clients, admins := connectionLimits(tt.descriptors)
		if clients != tt.clients || admins != tt.admins {
			t.Errorf("%d descriptors: %d for clients, %d for operators", tt.descriptors, clients, admins)
		}
	}
}
