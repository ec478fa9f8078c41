// SPDX-License-Identifier: MIT

package kuid

import (
	"errors"
	"os"
	"runtime"
	"sync"
	"syscall"
	"unsafe"
)

// What tests replace.
var (
	path  = "/dev/kuid"
	ioctl = func(fd int, command uintptr, argument unsafe.Pointer) syscall.Errno {
		_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), command, uintptr(argument))
		return errno
	}
)

// query is struct kuid_query of linux/kuid.h.
type query struct {
	format, flags   uint32
	formats, orders uint64
	idSize          uint32
	_               [25]uint32
}

// generate is struct kuid_generate of linux/kuid.h.
type generate struct {
	buffer        uint64
	format, order uint32
	count, flags  uint32
	done          uint32
	_             [9]uint32
}

// status is struct kuid_status of linux/kuid.h.
type status struct {
	flags, clones               uint32
	_                           [33]uint64
	unique, ordered, rebootSafe uint64 // the formats that they hold for, as bits
	_                           [27]uint64
}

const (
	queryCommand    = 3<<30 | unsafe.Sizeof(query{})<<16 | 0xE9<<8
	generateCommand = 3<<30 | unsafe.Sizeof(generate{})<<16 | 0xE9<<8 | 1
	statusCommand   = 3<<30 | unsafe.Sizeof(status{})<<16 | 0xE9<<8 | 3
	countMax        = 1 << 20
	orderFile       = 2
	orderHost       = 3
)

// device is an open device file, which is never closed: its number may be that of
// another file by then. All IDs are made by an ioctl that never waits: a read would
// take the bytes of that file for IDs.
type device struct {
	name string
	fd   int
}

// call is what the kernel reads and writes. It lies on the heap, as does all that
// it points to, because a stack may move.
type call struct {
	generate
	ids *byte
}

var calls = sync.Pool{New: func() any { return new(call) }}

func openDevice(name string) (*device, error) {
	fd, err := syscall.Open(name, syscall.O_RDONLY|syscall.O_CLOEXEC|syscall.O_NONBLOCK, 0)
	for err == syscall.EINTR {
		fd, err = syscall.Open(name, syscall.O_RDONLY|syscall.O_CLOEXEC|syscall.O_NONBLOCK, 0)
	}
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: name, Err: err}
	}
	d := &device{name, fd}
	if err := d.request(queryCommand, unsafe.Pointer(new(query))); err != nil {
		syscall.Close(fd)
		return nil, err
	}
	return d, nil
}

func (d *device) request(command uintptr, argument unsafe.Pointer) error {
	errno := ioctl(d.fd, command, argument)
	for errno == syscall.EINTR {
		errno = ioctl(d.fd, command, argument)
	}
	switch errno {
	case 0:
		return nil
	case syscall.EAGAIN:
		return errno // many, so without memory
	}
	return &os.PathError{Op: "ioctl", Path: d.name, Err: errno}
}

// generate makes IDs into the beginning of ids, and returns how many.
func (d *device) generate(format Format, host bool, ids []byte) (int, error) {
	c := calls.Get().(*call)
	c.ids = &ids[0]
	c.generate = generate{buffer: uint64(uintptr(unsafe.Pointer(c.ids))), format: uint32(format),
		order: orderFile, count: countMax}
	if host {
		c.order = orderHost
	}
	if n := len(ids) / format.Size(); n < countMax {
		c.count = uint32(n)
	}
	err := d.request(generateCommand, unsafe.Pointer(&c.generate))
	done := int(c.done)
	c.ids = nil
	calls.Put(c)
	runtime.KeepAlive(ids)
	return done, err
}

func (d *device) status() (status, error) {
	s := new(status)
	err := d.request(statusCommand, unsafe.Pointer(s))
	return *s, err
}

// isForeign tells that the program has closed the device.
func isForeign(err error) bool {
	return errors.Is(err, syscall.ENOTTY) || errors.Is(err, syscall.EBADF)
}

func wouldBlock(err error) bool { return err == syscall.EAGAIN }

// isMissing tells whether there is no device that this process may read.
func isMissing(err error) bool {
	var errno syscall.Errno
	return errors.As(err, &errno) && (advice[errno] == load || advice[errno] == allow)
}

const (
	load  = "Load the module on the host (modprobe kuid). In a container, or a service with PrivateDevices=, make the device files visible."
	allow = "Let this user read the device file."
)

// advice is that of kuid_error_advice() in libkuid.
var advice = map[syscall.Errno]string{
	syscall.ENOENT:      load,
	syscall.ENXIO:       load,
	syscall.ENODEV:      load,
	syscall.EACCES:      allow,
	syscall.EPERM:       allow,
	syscall.ENOTTY:      "The file is not a device of kuid, or the module is older than this package. Load the one of its version.",
	syscall.ESTALE:      "This machine may be a clone. An administrator must confirm or change its node or worker. A claimed number must be claimed again.",
	syscall.ENODATA:     "The module was loaded with state=required. An administrator must restore the saved state and keep it saved.",
	syscall.ENOKEY:      "An administrator must give this host a number that no other host has, or claim one.",
	syscall.EKEYEXPIRED: "The claim of this host's number has ended. Look if the daemon that claims it runs and reaches its store.",
}

func adviceOn(err error) string {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return advice[errno]
	}
	return ""
}
