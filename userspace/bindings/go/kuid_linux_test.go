// SPDX-License-Identifier: MIT

package kuid

import (
	"bytes"
	"context"
	"encoding/json"
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
)

// kernel stands for the module: it makes IDs whose last bytes count, or fails.
type kernel struct {
	made    atomic.Uint64
	single  syscall.Errno // what a request for one ID ends with
	batch   syscall.Errno // and for more
	orders  atomic.Uint32 // that were asked for, as bits
	waiting atomic.Int32  // requests that would have had to wait
	status  status
}

func (k *kernel) ioctl(_ int, command uintptr, argument unsafe.Pointer) syscall.Errno {
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
	warned = sync.Once{}
	t.Cleanup(func() {
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
		if id, err := g.NewV7(); err != nil || id.Version() != 7 || !id.IsRFC() || g.Source() != Plain {
			t.Error(id, err, g.Source())
		}
	}
	if strings.Count(logged.String(), "\n") != 1 || !strings.Contains(logged.String(), "/kuid: no such file") {
		t.Errorf("%q", logged)
	}
	logged.Reset()
	warned = sync.Once{}
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

// Files in place of the device: a socket is ENXIO, as is a file without driver.
func TestOtherFiles(t *testing.T) {
	with(t, nil)
	socket, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(socket)
	if err := syscall.Bind(socket, &syscall.SockaddrUnix{Name: path}); err != nil {
		t.Fatal(err)
	}
	g := &Generator{}
	if _, err := g.NewV7(); err != nil || g.Source() != Plain {
		t.Error("no driver:", err)
	}
	for _, target := range []string{"/dev/zero", "/dev/null", os.TempDir(), path} {
		os.Remove(path)
		if err := os.Symlink(target, path); err != nil {
			t.Fatal(err)
		}
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
	if _, err := (&Generator{From: Plain, HostOrder: true}).NewV7(); err != ErrPlain {
		t.Error(err)
	}
	for _, format := range []Format{V1, V6, Lex, K64, K96, K128, Snowflake} {
		if err := local.Fill(context.Background(), format, make([]byte, format.Size())); err != ErrPlain {
			t.Error(format, err)
		}
	}
	for _, format := range []Format{-1, 0, end} {
		if err := local.Fill(context.Background(), format, nil); !errors.Is(err, ErrFormat) || !strings.HasPrefix(format.String(), "format") {
			t.Error(format, err)
		}
	}
	if err := local.Fill(context.Background(), V7, make([]byte, 17)); err != ErrSize {
		t.Error(err)
	}
	if _, err := local.Batch(V7, -1); !errors.Is(err, ErrSize) {
		t.Error(err)
	}
	if _, err := local.Batch(K64, 1); !errors.Is(err, ErrFormat) {
		t.Error(err)
	}
	if Source(9).String() != "source 9" {
		t.Error(Source(9))
	}
}

// A batch that waits holds up neither singles nor the end of the Generator.
func TestBatchHoldsUpNobody(t *testing.T) {
	k := &kernel{batch: syscall.EAGAIN}
	with(t, k)
	g := &Generator{}
	ended := make(chan error)
	go func() {
		_, err := g.Batch(V7, 100)
		ended <- err
	}()
	for k.waiting.Load() < 3 {
		runtime.Gosched()
	}
	for i := 0; i < 1000; i++ {
		if _, err := g.NewV7(); err != nil {
			t.Fatal(err)
		}
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
	if err := <-ended; !errors.Is(err, os.ErrClosed) {
		t.Error(err)
	}
	if _, err := g.NewV7(); !errors.Is(err, os.ErrClosed) {
		t.Error(err)
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
}

func TestContextEndsWait(t *testing.T) {
	k := &kernel{single: syscall.EAGAIN}
	with(t, k)
	g := &Generator{}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- g.Fill(ctx, V7, make([]byte, 16)) }()
	for k.waiting.Load() < 3 {
		runtime.Gosched()
	}
	cancel()
	if err := <-ended; err != context.Canceled {
		t.Error(err)
	}
	// A call that does not wait: one try.
	before := k.waiting.Load()
	if err := g.Fill(ctx, V7, make([]byte, 16)); err != context.Canceled || k.waiting.Load() != before+1 {
		t.Error(err, k.waiting.Load()-before)
	}
	k.single = 0
	if err := g.Fill(ctx, V7, make([]byte, 16)); err != nil {
		t.Error(err)
	}
}

// A program that closes all files may have another one where the device was.
func TestOtherFileIsLeftAlone(t *testing.T) {
	k := &kernel{}
	with(t, k)
	steal := func(g *Generator) (fd int) {
		t.Helper()
		if _, err := g.NewV7(); err != nil {
			t.Fatal(err)
		}
		fd = g.device.Load().fd
		zero, err := os.Open("/dev/zero")
		if err != nil {
			t.Fatal(err)
		}
		defer zero.Close()
		if err := syscall.Dup3(int(zero.Fd()), fd, 0); err != nil {
			t.Fatal(err)
		}
		return fd
	}
	isThere := func(fd int) bool {
		var file syscall.Stat_t
		return syscall.Fstat(fd, &file) == nil
	}
	g := &Generator{}
	fd := steal(g)
	if err := g.Close(); err != nil || !isThere(fd) {
		t.Error("closed by Close:", err)
	}
	// The kernel says that it is no device.
	g = &Generator{}
	fd = steal(g)
	ioctl = func(used int, command uintptr, argument unsafe.Pointer) syscall.Errno {
		if used == fd {
			return syscall.ENOTTY
		}
		return k.ioctl(used, command, argument)
	}
	if _, err := g.NewV7(); err != nil || g.device.Load().fd == fd || !isThere(fd) {
		t.Error("not opened again:", err)
	}
	// Once: then it is an error.
	ioctl = func(int, uintptr, unsafe.Pointer) syscall.Errno { return syscall.ENOTTY }
	if _, err := g.NewV7(); !errors.Is(err, syscall.ENOTTY) || !strings.Contains(err.Error(), "older than this package") {
		t.Error(err)
	}
	ioctl = k.ioctl
	fd = steal(&Generator{})
	finalized := make(chan bool)
	runtime.SetFinalizer(&device{fd: -1}, func(*device) { close(finalized) })
	for done := false; !done; {
		runtime.GC()
		select {
		case <-finalized:
			done = true
		default:
		}
	}
	if !isThere(fd) {
		t.Error("closed by the finalizer")
	}
}

func TestUUIDForOthers(t *testing.T) {
	const text = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"
	id := MustParse(text)
	type row struct {
		ID  UUID
		Of  map[UUID]int
		Ref *UUID
	}
	object, err := json.Marshal(row{id, map[UUID]int{id: 1}, nil})
	if want := `{"ID":"` + text + `","Of":{"` + text + `":1},"Ref":null}`; string(object) != want || err != nil {
		t.Error(string(object), err)
	}
	var read row
	if err := json.Unmarshal(object, &read); err != nil || read.ID != id || read.Of[id] != 1 || read.Ref != nil {
		t.Error(read, err)
	}
	value, err := id.Value()
	if value != text || err != nil {
		t.Error(value, err)
	}
	binary, _ := id.MarshalBinary()
	for _, value := range []any{text, []byte(text), strings.ToUpper(text), binary} {
		var read UUID
		if err := read.Scan(value); err != nil || read != id {
			t.Error(value, read, err)
		}
	}
	for _, value := range []any{nil, 1, "", text[1:], text + "0", "{" + text + "}", strings.ReplaceAll(text, "-", ""),
		"017f-22e279b0-7cc3-98c4-dc0c0c07398f", "017f22e2-79b0-7cc3-98c4-dc0c0c07398g", []byte{}, binary[1:]} {
		if err := id.Scan(value); err == nil {
			t.Error(value, "was taken")
		}
	}
	var none UUID
	if err := none.UnmarshalBinary(binary[1:]); err == nil || none != Nil {
		t.Error(err)
	}
	defer func() {
		if recover() == nil {
			t.Error("Must returned")
		}
	}()
	MustParse("")
}
