// SPDX-License-Identifier: Apache-2.0

package layoutclient

import (
	"math/rand"
	"time"
)

const (
	firstWait   = 100 * time.Millisecond
	longestWait = 10 * time.Second
	// Before the first success.
	longestWaitAtFirst = 2 * time.Second
	jitter             = 0.2
	// A stream that ends sooner after it was opened is a failure, so that a faulty server is not asked without end.
	worked = time.Second
)

// A retryDelay is the time before the next attempt: 0.1 s, then twice as long with each further one, up to
// 10 s, or 2 s before the first success, varied by ±20 % so that clients do not come back at the same time. Where
// there are several servers, the others are tried at once, and the time is for a round of all. It begins anew after
// a stream that worked for a second.
type retryDelay struct {
	servers, tried, attempts int
	hasSucceeded             bool
	// When the stream that has ended was opened; zero = it was not.
	opened time.Time
}

// next returns the time to wait after a stream that has ended now.
func (d *retryDelay) next(now time.Time) time.Duration {
	d.ended(now)
	if d.tried+1 < d.servers {
		d.tried++
		return 0
	}
	d.tried = 0
	longest := longestWaitAtFirst
	if d.hasSucceeded {
		longest = longestWait
	}
	wait := longest
	if d.attempts < 7 {
		wait = firstWait << d.attempts
		d.attempts++
	}
	if wait > longest {
		wait = longest
	}
	return time.Duration(float64(wait) * (1 - jitter + 2*jitter*rand.Float64()))
}

// hasWorked reports whether the stream that ends now was open for a while.
func (d *retryDelay) hasWorked(now time.Time) bool {
	return !d.opened.IsZero() && now.Sub(d.opened) > worked
}

// ended notes that a stream has ended, or was none.
func (d *retryDelay) ended(now time.Time) {
	if d.hasWorked(now) {
		d.tried, d.attempts = 0, 0
	}
	d.opened = time.Time{}
}

// succeeded notes that a server has opened a stream.
func (d *retryDelay) succeeded(now time.Time) { d.opened, d.hasSucceeded = now, true }
