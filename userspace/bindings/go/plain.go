// SPDX-License-Identifier: MIT

package kuid

import (
	"crypto/rand"
	"encoding/binary"
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
// clock was set back they go on where they were.
func (p *process) reserve(now int64, count int) int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now <= p.last {
		now = p.last + 1
	}
	p.last = now + int64(count) - 1
	return now
}

func (p *process) fill(ids []byte) error {
	if _, err := rand.Read(ids); err != nil {
		return err
	}
	first := p.reserve(time.Now().UnixNano(), len(ids)/16)
	for i := 0; i < len(ids); i += 16 {
		ns := uint64(first + int64(i/16))
		fraction := ns % msNs * fractions / msNs
		low := binary.BigEndian.Uint64(ids[i+8:]) & (1<<belowTicks - 1)
		binary.BigEndian.PutUint64(ids[i:], ns/msNs<<16|0x7000|fraction>>8)
		binary.BigEndian.PutUint64(ids[i+8:], variant|fraction&0xff<<belowTicks|low)
	}
	return nil
}
