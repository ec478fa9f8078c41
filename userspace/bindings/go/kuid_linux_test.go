// SPDX-License-Identifier: MIT

package kuid

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// fake is a device that gives a byte more in each ID, or fails.
type fake struct {
	next byte
	err  error
}

func (f *fake) Read(ids []byte) (int, error) {
	if f.err != nil {
		return 0, &os.PathError{Op: "read", Path: "/dev/kuids/v7", Err: f.err}
	}
	f.next++
	// A short read, as of a file that does not block.
	for i := range ids[:8] {
		ids[i] = f.next
	}
	return 8, nil
}

func (f *fake) Close() error { return nil }

// with runs a test with other devices, and returns what was logged.
func with(open func(path string, format Format) (io.ReadCloser, error), test func()) string {
	var logged bytes.Buffer
	was := openDevice
	openDevice = open
	log.SetOutput(&logged)
	warned = sync.Once{}
	defer func() {
		openDevice = was
		log.SetOutput(os.Stderr)
	}()
	test()
	return logged.String()
}

func fails(err error) func(string, Format) (io.ReadCloser, error) {
	return func(path string, _ Format) (io.ReadCloser, error) {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
}

// Every errno: only those of a missing device lead to a lane of this process.
func TestAutoIsLocalOnlyWithoutDevice(t *testing.T) {
	missing := map[syscall.Errno]bool{
		syscall.ENOENT: true, syscall.ENXIO: true, syscall.ENODEV: true,
		syscall.EACCES: true, syscall.EPERM: true,
	}
	for errno := syscall.Errno(1); errno < 134; errno++ {
		g := &Generator{}
		var err error
		logged := with(fails(errno), func() {
			if _, err := g.NewK64(); !errors.Is(err, errno) {
				t.Errorf("k64 with %v: %v", errno, err)
			}
			_, err = g.NewV7()
			g.NewV6()
		})
		if missing[errno] {
			if err != nil || g.Source() != Local || strings.Count(logged, "\n") != 1 ||
				!strings.Contains(logged, "/dev/kuids/v7: "+errno.Error()) {
				t.Errorf("%v: %v, %v, %q", errno, err, g.Source(), logged)
			}
		} else if !errors.Is(err, errno) || g.Source() != Auto || logged != "" {
			t.Errorf("%v: %v, %v, %q", errno, err, g.Source(), logged)
		}
	}
}

// No error of a device that was found leads to a lane of this process.
func TestDeviceStays(t *testing.T) {
	device := &fake{}
	with(func(path string, _ Format) (io.ReadCloser, error) {
		if path == "/dev/kuids/v6" {
			return nil, &os.PathError{Op: "open", Path: path, Err: syscall.ENOENT}
		}
		return device, nil
	}, func() {
		g := &Generator{}
		if id, err := g.NewV7(); err != nil || id[0] != 1 || id[15] != 2 || g.Source() != Device {
			t.Fatalf("%v, %v, %v", id, err, g.Source())
		}
		for _, errno := range []syscall.Errno{syscall.EAGAIN, syscall.ENODATA, syscall.ESTALE,
			syscall.EKEYEXPIRED, syscall.ENODEV} {
			device.err = errno
			if _, err := g.NewV7(); !errors.Is(err, errno) {
				t.Errorf("%v: %v", errno, err)
			}
		}
		if _, err := g.NewV6(); !errors.Is(err, os.ErrNotExist) || g.Source() != Device {
			t.Errorf("v6: %v", err)
		}
		device.err = nil
		if ids, err := g.Batch(V7, 3); err != nil || len(ids) != 3 || ids[2][15] != 8 {
			t.Errorf("%v, %v", ids, err)
		}
		if number, err := g.NewSnowflake(); err != nil || number != 0x0909090909090909 {
			t.Errorf("%x, %v", number, err)
		}
		if ids, err := g.Bytes(K96, 2); err != nil || len(ids) != 24 {
			t.Errorf("%x, %v", ids, err)
		}
		device.err = io.EOF
		if _, err := g.NewV7(); err == nil {
			t.Error("no ID and no error")
		}
	})
}

func TestErrorsSayWhatHelps(t *testing.T) {
	for errno, text := range map[syscall.Errno]string{
		syscall.ENOENT: "modprobe kuid", syscall.ENOTTY: "older than this package",
		syscall.ENODATA: "state=required", syscall.ESTALE: "may be a clone",
		syscall.EKEYEXPIRED: "has ended", syscall.ENOKEY: "give this host a number",
		syscall.EACCES: "Let this user",
	} {
		with(fails(errno), func() {
			_, err := (&Generator{From: Device}).NewV1()
			if err == nil || !strings.Contains(err.Error(), text) {
				t.Errorf("%v: %v", errno, err)
			}
		})
	}
}

func TestSources(t *testing.T) {
	logged := with(fails(syscall.ENOENT), func() {
		g := &Generator{From: Private}
		if _, err := g.NewV7(); err != ErrPrivate || g.Source() != Private {
			t.Error(err)
		}
		g = &Generator{Host: true}
		if _, err := g.NewV7(); !errors.Is(err, os.ErrNotExist) ||
			!strings.Contains(err.Error(), "/dev/kuids/host/v7") {
			t.Error(err)
		}
		g = &Generator{From: Local, Host: true}
		if _, err := g.NewV7(); err != ErrLocal {
			t.Error(err)
		}
		g = &Generator{From: Local}
		if id, err := g.NewV7(); err != nil || id.Version() != 7 {
			t.Error(id, err)
		}
		if ids, err := g.Batch(V1, 1000); err != nil || ids[999].Version() != 1 {
			t.Error(err)
		}
		for _, format := range []Format{Lex, K64, K96, K128, Snowflake} {
			if _, err := g.Bytes(format, 1); err != ErrLocal {
				t.Error(format, err)
			}
		}
		for _, format := range []Format{-1, 0, K64, end} {
			if _, err := g.Batch(format, 1); !errors.Is(err, ErrFormat) {
				t.Error(format, err)
			}
		}
		for _, format := range []Format{-1, 0, V7, end} {
			if _, err := g.Bytes(format, 1); !errors.Is(err, ErrFormat) {
				t.Error(format, err)
			}
		}
		if _, err := g.Batch(V7, -1); err != ErrCount {
			t.Error(err)
		}
		if _, err := (&Generator{}).Bytes(K64, -1); err != ErrCount {
			t.Error(err)
		}
	})
	if logged != "" {
		t.Errorf("what was asked for was logged: %q", logged)
	}
}

// Files in place of the device: a socket is ENXIO, as is a file without driver.
func TestOtherFiles(t *testing.T) {
	was := devices
	defer func() { devices = was }()
	devices = t.TempDir() + "/"
	path := filepath.Join(devices, "v7")
	auto := func() (Source, error) {
		g := &Generator{}
		defer g.Close()
		log.SetOutput(io.Discard)
		defer log.SetOutput(os.Stderr)
		_, err := g.NewV7()
		return g.Source(), err
	}
	if source, err := auto(); source != Local {
		t.Error("no file:", err)
	}
	socket, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(socket)
	if err := syscall.Bind(socket, &syscall.SockaddrUnix{Name: path}); err != nil {
		t.Fatal(err)
	}
	if source, err := auto(); source != Local {
		t.Error("no driver:", err)
	}
	for _, target := range []string{"/dev/zero", "/dev/null", os.TempDir(), "v7"} {
		os.Remove(path)
		if err := os.Symlink(target, path); err != nil {
			t.Fatal(err)
		}
		if source, err := auto(); source != Auto || err == nil {
			t.Errorf("%s: %v, %v", target, source, err)
		}
	}
}

// A device that the program has closed is opened again, once for each call.
func TestClosedDeviceIsOpenedAgain(t *testing.T) {
	opened := 0
	with(func(string, Format) (io.ReadCloser, error) {
		opened++
		if opened == 3 {
			return &fake{}, nil
		}
		return &fake{err: syscall.ENOTTY}, nil
	}, func() {
		g := &Generator{}
		if _, err := g.NewV7(); !errors.Is(err, syscall.ENOTTY) || opened != 2 {
			t.Error(err, opened)
		}
		if id, err := g.NewV7(); err != nil || id[0] != 1 || opened != 3 {
			t.Error(id, err, opened)
		}
	})
}

// Calls that wait for a device end when the Generator is closed.
func TestCloseEndsWait(t *testing.T) {
	from, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	with(func(_ string, format Format) (io.ReadCloser, error) {
		if format == V7 {
			return from, nil
		}
		return &fake{}, nil
	}, func() {
		g := &Generator{}
		ended := make(chan error)
		go func() {
			_, err := g.NewV7()
			ended <- err
		}()
		for g.Source() == Auto {
			time.Sleep(time.Millisecond)
		}
		if err := g.Close(); err != nil {
			t.Error(err)
		}
		if err := <-ended; !errors.Is(err, os.ErrClosed) {
			t.Error(err)
		}
		if _, err := g.NewV6(); !errors.Is(err, os.ErrClosed) {
			t.Error(err)
		}
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestUUIDForOthers(t *testing.T) {
	id := UUID{0x01, 0x7f, 0x22, 0xe2, 0x79, 0xb0, 0x7c, 0xc3, 0x98, 0xc4, 0xdc, 0x0c, 0x0c, 0x07, 0x39, 0x8f}
	const text = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"
	if value, err := id.Value(); value != text || err != nil || fmt.Sprint(id) != text {
		t.Error(value, err)
	}
	if object, err := json.Marshal(map[UUID]UUID{id: id}); string(object) != `{"`+text+`":"`+text+`"}` {
		t.Error(string(object), err)
	}
	if other := (UUID{6: 0x40}); !other.Time().IsZero() {
		t.Error(other.Time())
	}
}
