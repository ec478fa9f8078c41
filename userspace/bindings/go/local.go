// SPDX-License-Identifier: MIT

package kuid

import (
	"crypto/rand"
	"encoding/binary"
	"math/bits"
	"sync"
	"sync/atomic"
	"time"
)

const (
	maxAhead  = 100 * msNs // how far IDs may be in front of their clock
	stepLimit = 10 * secNs // the lag above which another lane is taken

	multicast    = 1 << 40   // the bit of a node
	nodeMask     = 1<<48 - 1 // of the second word of v1 and v6
	seqLaneShift = 48        // the bits of clock_seq from the lane
	seqNsShift   = 48 + 7    // its bits from the nanosecond
	seqOffsets   = 28        // what a lane may add to the latter
)

// lane hands out each nanosecond once, and tells its IDs from those of others
// by a random node or a random key. A goroutine may go on with a lane that was
// replaced: no other lane has the same node or key.
type lane struct {
	last atomic.Int64 // the highest nanosecond that was handed out
	_    [56]byte     // nothing that is only read shares its cache line

	low uint64    // the second word of v1 and v6 in the first nanosecond of a tick
	key [2]uint64 // of the hash in v7
}

func newLane() (*lane, error) {
	var random [26]byte

	// Waits until the kernel's random generator is ready.
	if _, err := rand.Read(random[:]); err != nil {
		return nil, err
	}
	node := binary.BigEndian.Uint64(random[:])&nodeMask | multicast
	offset := uint64(binary.BigEndian.Uint16(random[24:])) >> 7 % seqOffsets
	scramble := uint64(random[25] & 127)
	return &lane{
		low: variant | offset<<seqNsShift | scramble<<seqLaneShift | node,
		key: [2]uint64{
			binary.LittleEndian.Uint64(random[8:]),
			binary.LittleEndian.Uint64(random[16:]),
		},
	}, nil
}

// reserve takes up to count nanoseconds that are at least now and at most
// limit. If there is none, first is the one that would be next.
func (l *lane) reserve(now, limit int64, count int) (first int64, taken int) {
	for {
		last := l.last.Load()
		first = now
		if first <= last {
			first = last + 1
		}
		if first > limit {
			return first, 0
		}
		taken = count
		if most := limit - first + 1; int64(taken) > most {
			taken = int(most)
		}
		if l.last.CompareAndSwap(last, first+int64(taken)-1) {
			return first, taken
		}
	}
}

// pack makes the ID of a nanosecond.
func (l *lane) pack(format Format, stamp int64) (high, low uint64) {
	ns := uint64(stamp)
	ticks := ns/tick + unixTicks
	low = l.low + ns%tick<<seqNsShift

	switch format {
	case V1:
		return v1High(ticks), low
	case V6:
		return v6High(ticks), low
	default:
		return v7(ns/msNs, ns%msNs*fractions/msNs, siphash(l.key[0], l.key[1], ns))
	}
}

// siphash is SipHash-2-4 of the 8 bytes of a word, little-endian.
func siphash(key0, key1, word uint64) uint64 {
	a, b := key0^0x736f6d6570736575, key1^0x646f72616e646f6d
	c, d := key0^0x6c7967656e657261, key1^0x7465646279746573
	// A loop, because the compiler inlines no function of this size.
	for round := 0; round < 8; round++ {
		switch round {
		case 0:
			d ^= word
		case 2:
			// The last block has the length in bytes in its highest byte.
			a ^= word
			d ^= 8 << 56
		case 4:
			a ^= 8 << 56
			c ^= 0xff
		}
		a += b
		c += d
		b = bits.RotateLeft64(b, 13) ^ a
		d = bits.RotateLeft64(d, 16) ^ c
		a = bits.RotateLeft64(a, 32) + d
		c += b
		d = bits.RotateLeft64(d, 21) ^ a
		b = bits.RotateLeft64(b, 17) ^ c
		c = bits.RotateLeft64(c, 32)
	}
	return a ^ b ^ c ^ d
}

// clock follows the wall clock, or goes on at half speed after that was set
// back, until it has caught up. It is the higher of two lines over the monotonic
// clock.
type clock struct {
	offset int64 // wall clock minus monotonic clock
	half   int64 // the other line is this plus half of the monotonic clock; 0 if none
}

// A difference of the offset that is below this is one of reading it.
const jitter = msNs

func (c *clock) at(mono int64) int64 {
	if half := c.half + mono/2; half > mono+c.offset {
		return half
	}
	return mono + c.offset
}

// reach returns the moment at which the clock shows a time.
func (c *clock) reach(time int64) int64 {
	wall, half := time-c.offset, (time-c.half)*2
	if half < wall {
		return half
	}
	return wall
}

// follow lets the clock follow a wall clock that was set, or one that is further
// than the window behind the highest time that was issued. It returns how far
// that time is in front of the wall clock.
func (c *clock) follow(mono, offset, issued int64) int64 {
	now := c.at(mono)
	if change := offset - c.offset; -jitter < change && change < jitter {
		if issued <= now+maxAhead {
			return 0
		}
		offset = c.offset
	}
	// The half ramp begins below an issued time that is in front of the clock.
	// Otherwise a wall clock that is set often would drive it ever further.
	from := issued
	if from > now {
		from = now
		if issued-maxAhead > now {
			from = issued - maxAhead
		}
	}
	c.offset = offset
	c.half = 0
	if from > mono+offset {
		c.half = from - mono/2
	}
	return issued - (mono + offset)
}

// lanes makes IDs of one lane after the other.
type lanes struct {
	current atomic.Pointer[lane]
	read    func() (wall, mono int64)
	sleep   func(time.Duration)

	mu    sync.Mutex // of those below, and of replacing the lane
	clock clock
}

var started = time.Now()

// readClocks reads the wall clock and the monotonic clock, in nanoseconds.
func readClocks() (wall, mono int64) {
	now := time.Now()
	return now.UnixNano(), int64(now.Sub(started))
}

func newLanes() (*lanes, error) {
	ls := &lanes{read: readClocks, sleep: time.Sleep}
	ls.mu.Lock()
	defer ls.mu.Unlock()
	if err := ls.replace(); err != nil {
		return nil, err
	}
	return ls, nil
}

// replace takes another lane. Its caller holds the lock.
func (ls *lanes) replace() error {
	next, err := newLane()
	if err != nil {
		return err
	}
	_, offset := ls.sample()
	ls.clock = clock{offset: offset}
	ls.current.Store(next)
	return nil
}

// sample reads the monotonic clock and the offset of the wall clock. The thread
// may be stopped between the readings of the two, so they are read again then.
func (ls *lanes) sample() (mono, offset int64) {
	_, before := ls.read()
	for try := 0; ; try++ {
		wall, mono := ls.read()
		if mono-before < jitter/2 || try == 16 {
			return mono, wall - mono
		}
		before = mono
	}
}

// one makes an ID in its place, because copies of what was just written are slow.
func (ls *lanes) one(format Format, id *UUID) error {
	l := ls.current.Load()
	wall, _ := ls.read()
	first, taken := l.reserve(wall, wall+maxAhead, 1)
	if taken == 0 {
		var ids [1]UUID
		err := ls.many(format, ids[:])
		*id = ids[0]
		return err
	}
	*id = join(l.pack(format, first))
	return nil
}

// many makes IDs. All are of one lane.
func (ls *lanes) many(format Format, ids []UUID) error {
	ahead := int64(maxAhead)
	if len(ids) > 1 {
		// As in the kernel: batches must not keep IDs from singles.
		ahead /= 2
	}
	l, done := ls.current.Load(), 0
	for done < len(ids) {
		wall, _ := ls.read()
		first, taken := l.reserve(wall, wall+ahead, len(ids)-done)
		if taken == 0 {
			var wait int64
			var err error
			if first, taken, wait, err = ls.slowly(l, ahead, len(ids)-done); err != nil {
				return err
			}
			if now := ls.current.Load(); now != l {
				l, done = now, 0
				continue
			}
			ls.sleep(time.Duration(wait))
		}
		for i := 0; i < taken; i++ {
			ids[done] = join(l.pack(format, first+int64(i)))
			done++
		}
	}
	return nil
}

// slowly reserves by the lane's own clock, after the wall clock was set back or
// the window was used up. If nothing is taken, it returns how long to wait.
func (ls *lanes) slowly(l *lane, ahead int64, count int) (first int64, taken int, wait int64, err error) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	if l != ls.current.Load() {
		return 0, 0, 0, nil
	}
	// In the other order the clock could be older than the stamp.
	last := l.last.Load()
	mono, offset := ls.sample()
	if ls.clock.follow(mono, offset, last) > stepLimit {
		return 0, 0, 0, ls.replace()
	}
	now := ls.clock.at(mono)
	if first, taken = l.reserve(now, now+ahead, count); taken > 0 {
		return first, taken, 0, nil
	}
	// Meanwhile a goroutine that had read the wall clock before it was set back
	// may have raised the lane by years. No wait is longer than the window.
	if wait = ls.clock.reach(first-ahead) - mono; wait > maxAhead {
		wait = maxAhead
	}
	return first, 0, wait, nil
}
