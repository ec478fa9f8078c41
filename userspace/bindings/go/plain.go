// SPDX-License-Identifier: MIT

package kuid

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"math"
	"sync"
	"time"
)

// process makes version 7 itself: nanoseconds that increase, and random
// bits below them.
type process struct {
	mu   sync.Mutex
	last int64 // the highest nanosecond that was handed out
}

var plain process

// reserve returns the first of count nanoseconds that are nobody else's. After the
// clock was set back they go on where they were. A clock before 1970 or past
// 2262 is an error.
func (p *process) reserve(at time.Time, count int) (int64, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	first := at.UnixNano()
	if first <= p.last {
		first = p.last + 1
	}
	last := first + int64(count) - 1
	if at.Unix() < 0 || at.Unix() >= math.MaxInt64/1_000_000_000 || last < first-1 {
		return 0, fmt.Errorf("%w: the clock is at %v", ErrTime, at)
	}
	p.last = last
	return first, nil
}

func (p *process) fill(ids []byte, at time.Time) error {
	first, err := p.reserve(at, len(ids)/16)
	if err != nil {
		return err
	}
	if _, err := rand.Read(ids); err != nil {
		return err
	}
	for i := 0; i < len(ids); i += 16 {
		ns := uint64(first + int64(i/16))
		fraction := ns % msNs * fractions / msNs
		low := binary.BigEndian.Uint64(ids[i+8:]) & (1<<54 - 1)
		binary.BigEndian.PutUint64(ids[i:], ns/msNs<<16|0x7000|fraction>>8)
		binary.BigEndian.PutUint64(ids[i+8:], 1<<63|fraction&0xff<<54|low)
	}
	return nil
}
