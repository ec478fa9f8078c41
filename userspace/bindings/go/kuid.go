// SPDX-License-Identifier: MIT

// Package kuid makes time-ordered unique IDs: from the device files of the
// kernel module kuid, or where there are none, in this process.
//
//	id, err := kuid.NewV7()
//
// IDs of the device are unique on the host and in order over everything that
// uses the same Generator, or with Host, over the whole host. IDs that a process
// makes itself are in order within a Generator only, and a copy of the process
// or of its virtual machine repeats them.
package kuid

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"sync"
	"sync/atomic"
)

// Format is the layout of an ID; kuid(4) describes them.
type Format int

// The formats. Their numbers are those of linux/kuid.h.
const (
	V1 Format = iota + 1
	V6
	V7
	Lex
	K64
	K96
	K128
	Snowflake
	end
)

var layouts = [end]struct {
	name string
	size int
}{
	V1: {"v1", 16}, V6: {"v6", 16}, V7: {"v7", 16}, Lex: {"lex", 16},
	K64: {"k64", 8}, K96: {"k96", 12}, K128: {"k128", 16}, Snowflake: {"snowflake", 8},
}

func (f Format) String() string {
	if f < V1 || f >= end {
		return fmt.Sprintf("format %d", int(f))
	}
	return layouts[f].name
}

func (f Format) isUUID() bool {
	return V1 <= f && f <= V7
}

// Source is where IDs are made.
type Source int32

const (
	// Auto is Device, or Local for UUIDs if there is no device file, it has no
	// driver, or it may not be read. The first ID of the Generator decides.
	// The standard logger gets a line if that was Local.
	Auto Source = iota
	// Device is the kernel.
	Device
	// Local is this process. It makes UUIDs only.
	Local
	// Private is a lane in this process that the kernel guards. It needs
	// libkuid, which this package does without, so it is always an error.
	Private
)

func (s Source) String() string {
	switch s {
	case Auto:
		return "auto"
	case Device:
		return "device"
	case Local:
		return "local"
	case Private:
		return "private"
	}
	return fmt.Sprintf("source %d", int(s))
}

// Errors of a Generator. Others wrap those of the system, so that errors.Is()
// finds fs.ErrNotExist or syscall.ESTALE in them.
var (
	ErrPrivate = errors.New("kuid: private lanes need libkuid, which this package does without: use Device or Local")
	ErrLocal   = errors.New("kuid: a process makes v1, v6 and v7 only, in no order over the host: use Device")
	ErrFormat  = errors.New("kuid: not a format for this call")
	ErrCount   = errors.New("kuid: a negative number of IDs")
)

// Generator makes IDs. The zero value is ready for use, also by any number of
// goroutines at once. From and Host must not change after the first ID.
//
// A call waits if IDs have run 100 ms in front of their clock, or for an
// administrator if the module was loaded with state=required.
type Generator struct {
	From Source
	// Host asks for IDs that are greater than all that were read in this order
	// on this host before. It needs the device, also with Auto.
	Host bool

	lanes atomic.Pointer[lanes]
	made  atomic.Int32 // a Source: what was decided
	files [end]atomic.Pointer[file]

	mu     sync.Mutex // of opening and closing
	closed bool
}

// file is an open device file.
type file struct {
	io.ReadCloser
}

// Default is the Generator of the functions of this package.
var Default = &Generator{}

// What tests replace.
var (
	devices    = "/dev/kuids/"
	openDevice = func(path string, format Format) (io.ReadCloser, error) {
		file, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		device, err := newDevice(file, format)
		if err != nil {
			file.Close()
		}
		return device, err
	}
)

var warned sync.Once

// lost are devices that the program has closed itself. They are kept, because the
// runtime would close what has their numbers now.
var (
	lostMu sync.Mutex
	lost   []*file
)

// Source tells where UUIDs are made: Device or Local. It is Auto until the first
// ID has decided.
func (g *Generator) Source() Source {
	if g.From != Auto {
		return g.From
	}
	return Source(g.made.Load())
}

// open finds out where IDs of a format are made. One result is not nil.
func (g *Generator) open(format Format) (*file, *lanes, error) {
	if format < V1 || format >= end {
		return nil, nil, fmt.Errorf("%w: %v", ErrFormat, format)
	}
	if device := g.files[format].Load(); device != nil {
		return device, nil, nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return nil, nil, os.ErrClosed
	}
	if g.From == Private {
		return nil, nil, ErrPrivate
	}
	canBeLocal := format.isUUID() && !g.Host
	switch {
	case g.Source() != Local:
	case canBeLocal:
		ls, err := g.makeLocal()
		return nil, ls, err
	case g.From == Local:
		return nil, nil, ErrLocal
	}
	path := devices
	if g.Host {
		path += "host/"
	}
	opened, err := openDevice(path+format.String(), format)
	if err == nil {
		device := &file{opened}
		g.files[format].Store(device)
		g.made.CompareAndSwap(int32(Auto), int32(Device))
		return device, nil, nil
	}
	if canBeLocal && g.Source() == Auto && isMissing(err) {
		warned.Do(func() {
			log.Printf("kuid: %v: this process makes UUIDs itself, in no order with others", err)
		})
		ls, err := g.makeLocal()
		return nil, ls, err
	}
	return nil, nil, helped(err)
}

func (g *Generator) makeLocal() (*lanes, error) {
	if ls := g.lanes.Load(); ls != nil {
		return ls, nil
	}
	ls, err := newLanes()
	if err == nil {
		g.made.Store(int32(Local))
		g.lanes.Store(ls)
	}
	return ls, err
}

// fill makes IDs by the device, which may give fewer than were asked for. One that
// the program has closed is opened again, once.
func (g *Generator) fill(format Format, device *file, ids []byte) error {
	_, err := io.ReadFull(device, ids)
	if err == nil || !isForeign(err) {
		return helped(err)
	}
	if g.files[format].CompareAndSwap(device, nil) {
		lostMu.Lock()
		lost = append(lost, device)
		lostMu.Unlock()
	}
	device, _, err = g.open(format)
	if err == nil {
		_, err = io.ReadFull(device, ids)
		err = helped(err)
	}
	return err
}

func (g *Generator) uuid(format Format, id *UUID) error {
	if ls := g.lanes.Load(); ls != nil {
		return ls.one(format, id)
	}
	device, ls, err := g.open(format)
	if err != nil {
		return err
	}
	if ls != nil {
		return ls.one(format, id)
	}
	// What an interface gets is on the heap, and only this call needs that.
	var heap UUID
	err = g.fill(format, device, heap[:])
	*id = heap
	return err
}

// NewV1 makes a UUID of version 1.
func (g *Generator) NewV1() (id UUID, err error) {
	err = g.uuid(V1, &id)
	return id, err
}

// NewV6 makes a UUID of version 6.
func (g *Generator) NewV6() (id UUID, err error) {
	err = g.uuid(V6, &id)
	return id, err
}

// NewV7 makes a UUID of version 7.
func (g *Generator) NewV7() (id UUID, err error) {
	err = g.uuid(V7, &id)
	return id, err
}

// Batch makes n UUIDs of V1, V6 or V7. They increase.
func (g *Generator) Batch(format Format, n int) ([]UUID, error) {
	if !format.isUUID() {
		return nil, fmt.Errorf("%w: %v", ErrFormat, format)
	}
	if n < 0 {
		return nil, ErrCount
	}
	device, ls, err := g.open(format)
	if err != nil {
		return nil, err
	}
	ids := make([]UUID, n)
	if ls != nil {
		return ids, ls.many(format, ids)
	}
	bytes := make([]byte, n*len(UUID{}))
	if err := g.fill(format, device, bytes); err != nil {
		return nil, err
	}
	for i := range ids {
		copy(ids[i][:], bytes[i*len(UUID{}):])
	}
	return ids, nil
}

// Bytes makes n IDs of a format that is not one of UUIDs, and returns their
// bytes, one ID after the other: 16 bytes for Lex and K128, 12 for K96, 8 for
// K64 and Snowflake.
func (g *Generator) Bytes(format Format, n int) ([]byte, error) {
	if format.isUUID() {
		return nil, fmt.Errorf("%w: %v", ErrFormat, format)
	}
	if n < 0 {
		return nil, ErrCount
	}
	device, _, err := g.open(format)
	if err != nil {
		return nil, err
	}
	ids := make([]byte, n*layouts[format].size)
	if err := g.fill(format, device, ids); err != nil {
		return nil, err
	}
	return ids, nil
}

func (g *Generator) number(format Format) (int64, error) {
	id, err := g.Bytes(format, 1)
	if err != nil {
		return 0, err
	}
	return int64(binary.BigEndian.Uint64(id)), nil
}

// NewK64 makes a k64. K64Text returns its text, K64Time its time.
func (g *Generator) NewK64() (int64, error) { return g.number(K64) }

// NewSnowflake makes a snowflake. SnowflakeTime returns its time.
func (g *Generator) NewSnowflake() (int64, error) { return g.number(Snowflake) }

// Close closes the device files. Calls that wait for the device fail with
// os.ErrClosed, and so do later ones that need it.
func (g *Generator) Close() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	var first error
	for i := range g.files {
		if device := g.files[i].Load(); device != nil && !g.closed {
			if err := device.Close(); err != nil && first == nil {
				first = err
			}
		}
	}
	g.closed = true
	return first
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
	if err == nil {
		return nil
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("kuid: the device file gave no whole ID: %w", err)
	}
	if advice := adviceOn(err); advice != "" {
		return fmt.Errorf("kuid: %w. %s", err, advice)
	}
	return fmt.Errorf("kuid: %w", err)
}
