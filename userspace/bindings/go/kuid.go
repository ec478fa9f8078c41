// SPDX-License-Identifier: MIT

// Package kuid makes time-ordered unique IDs of the whole host, by the kernel
// module kuid.
//
//	id, err := kuid.NewV7()
//
// IDs of the device are unique on the host and in order over all users of one
// [Generator], or over all programs that use [Host]. Where there is no device, the
// process makes a plain version 7 itself, and a line of the standard logger says
// so: such IDs are in order in this process only, and random bits alone tell them
// from those of others.
package kuid

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// Source is where IDs are made.
type Source int32

const (
	// Auto is Device, or Plain for version 7 if there is no device file, it has no
	// driver, or it may not be read. The first ID of the Generator decides.
	Auto Source = iota
	// Device is the kernel.
	Device
	// Plain is this process. It makes version 7 only.
	Plain
)

func (s Source) String() string {
	if s < Auto || s > Plain {
		return fmt.Sprintf("source %d", int(s))
	}
	return [...]string{"auto", "device", "plain"}[s]
}

// Errors of a Generator and of functions that read IDs. Others wrap those of the
// system: errors.Is() finds fs.ErrNotExist or syscall.ESTALE in them.
var (
	ErrPlain  = errors.New("kuid: a process makes v7 only, in no order over the host: use Device")
	ErrFormat = errors.New("kuid: not a format for this call")
	ErrSize   = errors.New("kuid: not a whole number of IDs")
	ErrText   = errors.New("kuid: not the text of such an ID")
	ErrTime   = errors.New("kuid: not a time of this format")
)

// Generator makes IDs. The zero value is ready for use, also by any number of
// goroutines at once. From and HostOrder must not change after the first ID.
//
// A call waits if IDs have run 100 ms in front of their clock, and up to 30 s for
// an administrator if the module was loaded with state=required. It holds up no
// call that needs not wait. Fill can be told to wait no longer.
type Generator struct {
	From Source
	// HostOrder asks for IDs that are greater than all that were made in this
	// order on this host before. It needs the device, also with Auto.
	HostOrder bool

	made   atomic.Int32 // a Source: what Auto has become
	device atomic.Pointer[device]

	mu      sync.Mutex // of opening and closing
	closed  bool
	missing error // why there is no device
}

var (
	// Default is the Generator of the functions of this package.
	Default = &Generator{}
	// Host makes IDs that are in order over all programs of the host that use
	// this order.
	Host = &Generator{HostOrder: true}
)

var warned sync.Once

// Source tells where IDs are made: Device or Plain. It is Auto until the first ID
// has decided.
func (g *Generator) Source() Source {
	if g.From != Auto {
		return g.From
	}
	return Source(g.made.Load())
}

// open returns the device, or nil if this process makes the ID. One descriptor
// serves all formats and orders, whatever device files the process sees later.
func (g *Generator) open(format Format) (*device, error) {
	if d := g.device.Load(); d != nil {
		return d, nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if d := g.device.Load(); d != nil {
		return d, nil
	}
	if g.closed {
		return nil, os.ErrClosed
	}
	canBePlain := format == V7 && !g.HostOrder
	if g.Source() == Plain {
		if canBePlain {
			return nil, nil
		}
		if g.From == Plain {
			return nil, ErrPlain
		}
	}
	d, err := openDevice(path)
	if err == nil {
		g.device.Store(d)
		g.made.CompareAndSwap(int32(Auto), int32(Device))
		return d, nil
	}
	if canBePlain && g.Source() == Auto && isMissing(err) {
		g.missing = err
		g.made.Store(int32(Plain))
		return nil, nil
	}
	return nil, helped(err)
}

// Fill makes len(ids) / format.Size() IDs, one behind the other, which increase.
// If it has to wait and ctx is done, it returns ctx.Err(); it does not look at ctx
// otherwise, so with a ctx that is done it never waits. After an error, what lies
// in ids is no ID.
func (g *Generator) Fill(ctx context.Context, format Format, ids []byte) error {
	const shortest, longest = 100 * time.Microsecond, 16 * time.Millisecond
	size := format.Size()
	if size == 0 {
		return fmt.Errorf("%w: %v", ErrFormat, format)
	}
	if len(ids)%size != 0 {
		return ErrSize
	}
	d, err := g.open(format)
	if err != nil {
		return err
	}
	if d == nil {
		if g.From == Auto {
			warned.Do(func() {
				log.Printf("kuid: %v: this process makes UUIDs itself, in no order with others", g.missing)
			})
		}
		return plain.fill(ids, time.Now())
	}
	wait, reopened := shortest, false
	for len(ids) > 0 {
		done, err := d.generate(format, g.HostOrder, ids)
		switch {
		case err == nil:
			ids = ids[done*size:]
			wait = shortest
		case wouldBlock(err):
			if err := sleep(ctx, wait); err != nil {
				return err
			}
			if wait *= 2; wait > longest {
				wait = longest
			}
		case isForeign(err) && !reopened:
			// The program has closed the device, and another file may have its
			// number. That one is not this package's to close.
			reopened = true
			if g.device.CompareAndSwap(d, nil) {
				d.forget()
			}
			if d, err = g.open(format); err != nil {
				return err
			}
		default:
			return helped(err)
		}
	}
	return nil
}

// sleep waits without the lock of the descriptor: a sleeper delays no other call.
func sleep(ctx context.Context, wait time.Duration) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// buffers of the heap, whose memory stays where it is while the kernel writes it.
var buffers = sync.Pool{New: func() any { return new([16]byte) }}

// one makes an ID, with zeros behind it.
func (g *Generator) one(format Format) (id [16]byte, err error) {
	buffer := buffers.Get().(*[16]byte)
	if err = g.Fill(context.Background(), format, buffer[:format.Size()]); err == nil {
		copy(id[:], buffer[:format.Size()])
	}
	buffers.Put(buffer)
	return id, err
}

func (g *Generator) uuid(format Format) (UUID, error) {
	id, err := g.one(format)
	return id, err
}

func (g *Generator) number(format Format) (int64, error) {
	id, err := g.one(format)
	return int64(binary.BigEndian.Uint64(id[:])), err
}

// NewV1 makes a UUID of version 1.
func (g *Generator) NewV1() (UUID, error) { return g.uuid(V1) }

// NewV6 makes a UUID of version 6.
func (g *Generator) NewV6() (UUID, error) { return g.uuid(V6) }

// NewV7 makes a UUID of version 7.
func (g *Generator) NewV7() (UUID, error) { return g.uuid(V7) }

// NewK64 makes a k64, a positive number.
func (g *Generator) NewK64() (int64, error) { return g.number(K64) }

// NewSnowflake makes a snowflake, a positive number.
func (g *Generator) NewSnowflake() (int64, error) { return g.number(Snowflake) }

// NewLex makes a lex.
func (g *Generator) NewLex() ([16]byte, error) { return g.one(Lex) }

// NewK96 makes a k96.
func (g *Generator) NewK96() ([12]byte, error) {
	id, err := g.one(K96)
	return *(*[12]byte)(id[:]), err
}

// NewK128 makes a k128.
func (g *Generator) NewK128() ([16]byte, error) { return g.one(K128) }

// Batch makes n UUIDs of V1, V6 or V7. They increase.
func (g *Generator) Batch(format Format, n int) ([]UUID, error) {
	if !format.isUUID() {
		return nil, fmt.Errorf("%w: %v", ErrFormat, format)
	}
	if n < 0 {
		return nil, fmt.Errorf("%w: %d", ErrSize, n)
	}
	bytes := make([]byte, n*len(Nil))
	if err := g.Fill(context.Background(), format, bytes); err != nil {
		return nil, err
	}
	ids := make([]UUID, n)
	for i := range ids {
		copy(ids[i][:], bytes[i*len(Nil):])
	}
	return ids, nil
}

// Close closes the device. Calls that wait fail with os.ErrClosed, and so do later
// ones that need it.
func (g *Generator) Close() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = true
	if d := g.device.Load(); d != nil {
		return d.Close()
	}
	return nil
}

// NewV1 makes a UUID of version 1 with Default.
func NewV1() (UUID, error) { return Default.NewV1() }

// NewV6 makes a UUID of version 6 with Default.
func NewV6() (UUID, error) { return Default.NewV6() }

// NewV7 makes a UUID of version 7 with Default.
func NewV7() (UUID, error) { return Default.NewV7() }

// NewK64 makes a k64 with Default.
func NewK64() (int64, error) { return Default.NewK64() }

// NewSnowflake makes a snowflake with Default.
func NewSnowflake() (int64, error) { return Default.NewSnowflake() }

// Batch makes n UUIDs with Default.
func Batch(format Format, n int) ([]UUID, error) { return Default.Batch(format, n) }

// helped says what helps against an error of the device.
func helped(err error) error {
	if advice := adviceOn(err); advice != "" {
		return fmt.Errorf("kuid: %w. %s", err, advice)
	}
	return fmt.Errorf("kuid: %w", err)
}
