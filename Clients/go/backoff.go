// SPDX-License-Identifier: Apache-2.0

package layoutclient

import (
	"math/rand"
	"time"
)

const (
	firstWait   = 100 * time.Millisecond
	longestWait = 10 * time.Second
	jitter      = 0.2
)

// A retryDelay is the time before the next attempt: 0.1 s, then twice as long with each further one, up to
// 10 s, varied by ±20 % so that clients do not come back at the same time.
type retryDelay struct{ attempts int }

func (d *retryDelay) next() time.Duration {
	wait := longestWait
	if d.attempts < 7 {
		wait = firstWait << d.attempts
		d.attempts++
	}
	if wait > longestWait {
		wait = longestWait
	}
	return time.Duration(float64(wait) * (1 - jitter + 2*jitter*rand.Float64()))
}

func (d *retryDelay) reset() { d.attempts = 0 }
