// SPDX-License-Identifier: MIT

// Package kuid makes time-ordered unique IDs of the whole host, by the kernel
// module kuid.
//
//	id, err := kuid.NewV7()
//
// IDs of the device are unique on the host and in order over all of the process, or
// over all programs that use [Host]. Where there is no device, the process makes a
// plain version 7 itself, and a line of the standard logger says so: such IDs are in
// order in this process only, and random bits alone tell them from those of others.
package kuid

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
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
// goroutines at once. All Generators of a process share one descriptor, which stays
// open.
//
// A call waits if IDs have run 100 ms in front of their clock, and up to 30 s for
// an administrator if the module was loaded with state=required. It holds up no
// call that needs not wait. Fill can be told to wait no longer.
type Generator struct {
	From Source
	// HostOrder asks for IDs that are greater than all that were made in this
	// order on this host before. It needs the device, also with Auto.
	HostOrder bool
}

var (
	// Default is the Generator of the functions of this package.
	Default = &Generator{}
	// Host makes IDs that are in order over all programs of the host that use
	// this order.
	Host = &Generator{HostOrder: true}
)

// Of the process.
var (
	warned  sync.Once
	opening sync.Mutex
	opened  atomic.Pointer[device]
	made    atomic.Int32 // a Source: what Auto has become
	missing error        // why there is no device
)

// Source tells where IDs are made: Device or Plain. It is Auto until the first ID of
// the process has decided.
func (g *Generator) Source() Source {
	if g.From != Auto {
		return g.From
	}
	return Source(made.Load())
}

// open returns the device, or nil if this process makes the ID. One descriptor
// serves all formats and orders, whatever device files the process sees later.
func (g *Generator) open(format Format) (*device, error) {
	if d := opened.Load(); d != nil && g.From != Plain {
		return d, nil
	}
	opening.Lock()
	defer opening.Unlock()
	canBePlain := format == V7 && !g.HostOrder
	if g.Source() == Plain && canBePlain {
		return nil, nil
	} else if g.From == Plain {
		return nil, ErrPlain
	}
	if d := opened.Load(); d != nil {
		return d, nil
	}
	d, err := openDevice(path)
	if err == nil {
		opened.Store(d)
		made.CompareAndSwap(int32(Auto), int32(Device))
		return d, nil
	}
	if canBePlain && g.Source() == Auto && isMissing(err) {
		missing = err
		made.Store(int32(Plain))
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
				log.Printf("kuid: %v: this process makes UUIDs itself, in no order with others", missing)
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
		case wouldBlock(err) && ctx.Err() != nil:
			return ctx.Err() // not by select, since the timer may be due, too
		case wouldBlock(err):
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(wait):
			}
			if wait *= 2; wait > longest {
				wait = longest
			}
		case isForeign(err) && !reopened:
			// The program has closed the device, and another file may have its
			// number. That one is not this package's to close.
			reopened = true
			opened.CompareAndSwap(d, nil)
			if d, err = g.open(format); err != nil {
				return err
			}
		default:
			return helped(err)
		}
	}
	return nil
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

func (g *Generator) uuid(format Format) (uuid.UUID, error) {
	id, err := g.one(format)
	return id, err
}

func (g *Generator) number(format Format) (int64, error) {
	id, err := g.one(format)
	return int64(binary.BigEndian.Uint64(id[:])), err
}

// NewV1 makes a UUID of version 1.
func (g *Generator) NewV1() (uuid.UUID, error) { return g.uuid(V1) }

// NewV6 makes a UUID of version 6.
func (g *Generator) NewV6() (uuid.UUID, error) { return g.uuid(V6) }

// NewV7 makes a UUID of version 7.
func (g *Generator) NewV7() (uuid.UUID, error) { return g.uuid(V7) }

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
func (g *Generator) Batch(format Format, n int) ([]uuid.UUID, error) {
	if !format.isUUID() {
		return nil, fmt.Errorf("%w: %v", ErrFormat, format)
	}
	if n < 0 {
		return nil, fmt.Errorf("%w: %d", ErrSize, n)
	}
	ids, bytes := make([]uuid.UUID, n), make([]byte, n*16)
	if err := g.Fill(context.Background(), format, bytes); err != nil {
		return nil, err
	}
	for i := range ids {
		copy(ids[i][:], bytes[i*16:])
	}
	return ids, nil
}

// NewV1 makes a UUID of version 1 with Default.
func NewV1() (uuid.UUID, error) { return Default.NewV1() }

// NewV6 makes a UUID of version 6 with Default.
func NewV6() (uuid.UUID, error) { return Default.NewV6() }

// NewV7 makes a UUID of version 7 with Default.
func NewV7() (uuid.UUID, error) { return Default.NewV7() }

// NewK64 makes a k64 with Default.
func NewK64() (int64, error) { return Default.NewK64() }

// NewSnowflake makes a snowflake with Default.
func NewSnowflake() (int64, error) { return Default.NewSnowflake() }

// Batch makes n UUIDs with Default.
func Batch(format Format, n int) ([]uuid.UUID, error) { return Default.Batch(format, n) }

// helped says what helps against an error of the device.
func helped(err error) error {
	if advice := adviceOn(err); advice != "" {
		return fmt.Errorf("kuid: %w. %s", err, advice)
	}
	return fmt.Errorf("kuid: %w", err)
}
