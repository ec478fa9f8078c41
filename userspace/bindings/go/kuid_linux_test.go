// SPDX-License-Identifier: MIT

package kuid

import (
	"bytes"
	"context"
	"errors"
	"log"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"unsafe"

	"github.com/google/uuid"
)

// kernel stands for the module: it makes IDs whose last bytes count, or fails.
type kernel struct {
	made    atomic.Uint64
	single  syscall.Errno // what a request for one ID ends with
	batch   syscall.Errno // and for more
	orders  atomic.Uint32 // that were asked for, as bits
	waiting atomic.Int32  // requests that would have had to wait
	calls   atomic.Int32  // of which each third is interrupted
	status  status
}

func (k *kernel) ioctl(_ int, command uintptr, argument unsafe.Pointer) syscall.Errno {
	if k.calls.Add(1)%3 == 0 {
		return syscall.EINTR
	}
	switch command {
	case queryCommand:
		return 0
	case statusCommand:
		*(*status)(argument) = k.status
		return 0
	}
	g := (*generate)(argument)
	errno := k.single
	if g.count > 1 {
		errno = k.batch
	}
	if errno != 0 {
		k.waiting.Add(1)
		return errno
	}
	k.orders.Store(k.orders.Load() | 1<<g.order)
	size := Format(g.format).Size()
	// No more than two, as a call does that ends early.
	for g.done = 0; g.done < g.count && g.done < 2; g.done++ {
		id := unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(nil), uintptr(g.buffer)+uintptr(g.done)*uintptr(size))), size)
		copy(id, make([]byte, size-1))
		id[size-1] = byte(k.made.Add(1))
	}
	return 0
}

// forget makes the next ID the first one of the process.
func forget() {
	warned = sync.Once{}
	opened.Store(nil)
	made.Store(int32(Auto))
}

// with runs a test whose device file is another one, with a kernel that answers for
// it, or without any. It returns what was logged.
func with(t *testing.T, k *kernel) (logged *bytes.Buffer) {
	t.Helper()
	logged = new(bytes.Buffer)
	oldPath, oldIoctl := path, ioctl
	path = filepath.Join(t.TempDir(), "kuid")
	if k != nil {
		ioctl = k.ioctl
		if err := os.Symlink("/dev/null", path); err != nil {
			t.Fatal(err)
		}
	}
	log.SetOutput(logged)
	forget()
	t.Cleanup(func() {
		forget()
		path, ioctl = oldPath, oldIoctl
		log.SetOutput(os.Stderr)
	})
	return logged
}

// Only if there is no device that may be read, this process makes UUIDs.
func TestAutoIsLocalOnlyWithoutDevice(t *testing.T) {
	logged := with(t, nil)
	g := &Generator{}
	if _, err := g.NewV6(); !errors.Is(err, os.ErrNotExist) || g.Source() != Auto {
		t.Error("v6:", err, g.Source())
	}
	for i := 0; i < 2; i++ {
		if id, err := g.NewV7(); err != nil || id.Version() != 7 || id.Variant() != uuid.RFC4122 || g.Source() != Plain {
			t.Error(id, err, g.Source())
		}
	}
	if strings.Count(logged.String(), "\n") != 1 || !strings.Contains(logged.String(), "/kuid: no such file") {
		t.Errorf("%q", logged)
	}
	logged.Reset()
	forget()
	want := Guarantees{Plain, "file", true, true, true, "never"}
	g = &Generator{}
	if now, err := g.Guarantees(V7); err != nil || now != want {
		t.Error(now, err)
	}
	if _, err := g.NewV7(); err != nil || logged.Len() != 0 {
		t.Error("warned although it was asked:", err, logged)
	}
	for errno := syscall.Errno(1); errno < 134; errno++ {
		missing := errno == syscall.ENOENT || errno == syscall.ENXIO || errno == syscall.ENODEV ||
			errno == syscall.EACCES || errno == syscall.EPERM
		if isMissing(&os.PathError{Err: errno}) != missing {
			t.Error(errno)
		}
	}
}

// A file in place of the device is an error.
func TestOtherFiles(t *testing.T) {
	with(t, nil)
	for _, target := range []string{"/dev/zero", "/dev/null", os.TempDir(), path} {
		os.Remove(path)
		if err := os.Symlink(target, path); err != nil {
			t.Fatal(err)
		}
		forget()
		g := &Generator{}
		if _, err := g.NewV7(); err == nil || g.Source() != Auto {
			t.Errorf("%s: %v, %v", target, g.Source(), err)
		}
	}
}

// One descriptor serves all formats, and no error of it leads to local IDs.
func TestDeviceStays(t *testing.T) {
	k := &kernel{}
	logged := with(t, k)
	g := &Generator{}
	if id, err := g.NewV7(); err != nil || id[15] != 1 || g.Source() != Device {
		t.Fatal(id, err, g.Source())
	}
	os.Remove(path)
	for format := V1; format < end; format++ {
		ids := make([]byte, 5*format.Size())
		if err := g.Fill(context.Background(), format, ids); err != nil || ids[len(ids)-1] != byte(k.made.Load()) {
			t.Error(format, err, ids)
		}
	}
	if number, err := g.NewSnowflake(); err != nil || number != int64(k.made.Load()) {
		t.Error(number, err)
	}
	for errno, text := range map[syscall.Errno]string{
		syscall.ENODATA: "state=required", syscall.ESTALE: "may be a clone", syscall.ENODEV: "modprobe kuid",
		syscall.EKEYEXPIRED: "has ended", syscall.ENOKEY: "give this host a number", syscall.EFAULT: "bad address",
	} {
		k.single = errno
		if _, err := g.NewV7(); !errors.Is(err, errno) || !strings.Contains(err.Error(), text) {
			t.Errorf("%v: %v", errno, err)
		}
	}
	if g.Source() != Device || logged.Len() != 0 || k.orders.Load() != 1<<orderFile {
		t.Error(g.Source(), logged, k.orders.Load())
	}
}

func TestOrders(t *testing.T) {
	k := &kernel{}
	with(t, k)
	defer func(g *Generator) { Host = g }(Host)
	Host = &Generator{HostOrder: true}
	if _, err := Host.NewV7(); err != nil || k.orders.Load() != 1<<orderHost {
		t.Error(err, k.orders.Load())
	}
	const formats = 1<<V7 | 1<<K64
	for clones, of := range map[string]status{
		"seen":  {clones: clonesSeen | clonesTold, unique: formats},
		"told":  {clones: clonesTold, ordered: formats},
		"never": {rebootSafe: formats},
	} {
		k.status = of
		want := Guarantees{Device, "host", of.unique == formats, of.ordered != 0, of.rebootSafe != 0, clones}
		if now, err := Host.Guarantees(K64); err != nil || now != want {
			t.Error(now, want, err)
		}
	}
	if now, err := (&Generator{}).Guarantees(V6); err != nil || now.Order != "file" || now.Source != Device {
		t.Error(now, err)
	}
}

func TestBadCalls(t *testing.T) {
	with(t, nil)
	host, local := &Generator{HostOrder: true}, &Generator{From: Plain}
	if _, err := host.NewV7(); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "modprobe kuid") {
		t.Error(err)
	}
	fill := func(g *Generator, format Format, size int) error {
		return g.Fill(context.Background(), format, make([]byte, size))
	}
	batch := func(format Format, n int) error { _, err := local.Batch(format, n); return err }
	for _, row := range []struct{ got, want error }{
		{fill(&Generator{From: Device}, V7, 16), os.ErrNotExist},
		{fill(&Generator{From: Plain, HostOrder: true}, V7, 16), ErrPlain},
		{fill(local, V1, 16), ErrPlain}, {fill(local, V6, 16), ErrPlain}, {fill(local, Lex, 16), ErrPlain},
		{fill(local, K64, 8), ErrPlain}, {fill(local, K96, 12), ErrPlain}, {fill(local, K128, 16), ErrPlain},
		{fill(local, Snowflake, 8), ErrPlain}, {fill(local, -1, 0), ErrFormat}, {fill(local, 0, 0), ErrFormat},
		{fill(local, end, 0), ErrFormat}, {fill(local, V7, 17), ErrSize}, {batch(V7, -1), ErrSize},
		{batch(K64, 1), ErrFormat}, {batch(V7, 0), nil},
	} {
		if !errors.Is(row.got, row.want) {
			t.Error(row)
		}
	}
	if Source(9).String() != "source 9" || end.String() != "format 9" {
		t.Error(Source(9), end)
	}
}

// A batch that waits holds up no single, and ends with its context. A call that is not to
// wait asks once.
func TestWaits(t *testing.T) {
	k := &kernel{batch: syscall.EAGAIN}
	with(t, k)
	g := &Generator{}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- g.Fill(ctx, V7, make([]byte, 160)) }()
	for k.waiting.Load() < 3 {
		runtime.Gosched()
	}
	for i := 0; i < 1000; i++ {
		if _, err := g.NewV7(); err != nil {
			t.Fatal(err)
		}
	}
	cancel()
	if err := <-ended; err != context.Canceled {
		t.Error(err)
	}
	before := k.waiting.Load()
	if err := g.Fill(ctx, V7, make([]byte, 32)); err != context.Canceled || k.waiting.Load() != before+1 {
		t.Error(err, k.waiting.Load()-before)
	}
	if err := g.Fill(ctx, V7, make([]byte, 16)); err != nil {
		t.Error(err)
	}
}

// A program that closes all files may have another one where the device was.
func TestOtherFileIsLeftAlone(t *testing.T) {
	k := &kernel{}
	with(t, k)
	g := &Generator{}
	if _, err := g.NewV7(); err != nil {
		t.Fatal(err)
	}
	fd := opened.Load().fd
	zero, err := os.Open("/dev/zero")
	if err != nil {
		t.Fatal(err)
	}
	defer zero.Close()
	if err := syscall.Dup3(int(zero.Fd()), fd, 0); err != nil {
		t.Fatal(err)
	}
	// The kernel says that it is no device.
	ioctl = func(used int, command uintptr, argument unsafe.Pointer) syscall.Errno {
		if used == fd {
			return syscall.ENOTTY
		}
		return k.ioctl(used, command, argument)
	}
	if _, err := g.NewV7(); err != nil || opened.Load().fd == fd {
		t.Error("not opened again:", err)
	}
	var there, is syscall.Stat_t
	if err := syscall.Fstat(fd, &there); err != nil || syscall.Fstat(int(zero.Fd()), &is) != nil || there.Rdev != is.Rdev {
		t.Error("the other file was closed:", err)
	}
	// Once: then it is an error.
	ioctl = func(int, uintptr, unsafe.Pointer) syscall.Errno { return syscall.ENOTTY }
	if _, err := g.NewV7(); !errors.Is(err, syscall.ENOTTY) || !strings.Contains(err.Error(), "older than this package") {
		t.Error(err)
	}
}
