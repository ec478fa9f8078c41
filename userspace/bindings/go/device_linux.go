// SPDX-License-Identifier: MIT

package kuid

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"syscall"
	"unsafe"
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

const (
	queryCommand    = 3<<30 | unsafe.Sizeof(query{})<<16 | 0xE9<<8
	generateCommand = 3<<30 | unsafe.Sizeof(generate{})<<16 | 0xE9<<8 | 1
	countMax        = 1 << 20
)

// device is an open device file of a format. Read makes IDs by an ioctl, which
// fails if the program has closed the file behind the runtime's back, and another
// one has its number. A read would take the bytes of that file for IDs.
type device struct {
	*os.File
	raw    syscall.RawConn
	format Format
}

// request carries out a command when the file is ready for it. The runtime polls
// the file, and Fd() would end that.
func (d *device) request(command uintptr, argument unsafe.Pointer) error {
	var errno syscall.Errno
	err := d.raw.Read(func(fd uintptr) bool {
		for errno = syscall.EINTR; errno == syscall.EINTR; {
			_, _, errno = syscall.Syscall(syscall.SYS_IOCTL, fd, command, uintptr(argument))
		}
		return errno != syscall.EAGAIN
	})
	if err == nil && errno != 0 {
		err = &os.PathError{Op: "ioctl", Path: d.Name(), Err: errno}
	}
	return err
}

// Read needs memory of the heap, as all that comes by io.Reader is: it stays
// where it is during the call.
func (d *device) Read(ids []byte) (int, error) {
	size := layouts[d.format].size
	if len(ids) < size {
		return 0, nil
	}
	g := generate{buffer: uint64(uintptr(unsafe.Pointer(&ids[0]))), format: uint32(d.format),
		count: uint32(len(ids) / size)}
	if g.count > countMax {
		g.count = countMax
	}
	err := d.request(generateCommand, unsafe.Pointer(&g))
	runtime.KeepAlive(ids)
	return int(g.done) * size, err
}

// isForeign tells that the program has closed the device.
func isForeign(err error) bool {
	return errors.Is(err, syscall.ENOTTY) || errors.Is(err, syscall.EBADF)
}

// newDevice finds out whether an open file is the device of a format.
func newDevice(file *os.File, format Format) (io.ReadCloser, error) {
	raw, err := file.SyscallConn()
	if err != nil {
		return nil, err
	}
	d := &device{file, raw, format}
	question := query{format: uint32(format)}
	err = d.request(queryCommand, unsafe.Pointer(&question))
	if err == nil && int(question.idSize) != layouts[format].size {
		err = fmt.Errorf("%s: IDs of %d bytes", file.Name(), question.idSize)
	}
	return d, err
}

// isMissing tells whether there is no device that this process may read.
func isMissing(err error) bool {
	for _, errno := range []syscall.Errno{
		syscall.ENOENT, syscall.ENXIO, syscall.ENODEV, syscall.EACCES, syscall.EPERM,
	} {
		if errors.Is(err, errno) {
			return true
		}
	}
	return false
}

const (
	load = "Load the module on the host (modprobe kuid). In a container, or a " +
		"service with PrivateDevices=, make the device files visible."
	read = "Let this user read the device file."
)

// advice is that of kuid_error_advice() in libkuid.
var advice = map[syscall.Errno]string{
	syscall.ENOENT: load,
	syscall.ENXIO:  load,
	syscall.ENODEV: load,
	syscall.EACCES: read,
	syscall.EPERM:  read,
	syscall.ENOTTY: "The file is not a device of kuid, or the module is older than this " +
		"package. Load the one of its version.",
	syscall.ESTALE: "This machine may be a clone. An administrator must confirm or change " +
		"its node or worker. A claimed number must be claimed again.",
	syscall.ENODATA: "The module was loaded with state=required. An administrator must " +
		"restore the saved state and keep it saved.",
	syscall.ENOKEY: "An administrator must give this host a number that no other host " +
		"has, or claim one.",
	syscall.EKEYEXPIRED: "The claim of this host's number has ended. Look if the daemon that " +
		"claims it runs and reaches its store.",
}

func adviceOn(err error) string {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return advice[errno]
	}
	return ""
}
