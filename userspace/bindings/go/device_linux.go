// SPDX-License-Identifier: MIT

package kuid

import (
	"errors"
	"fmt"
	"os"
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

const queryCommand = 3<<30 | unsafe.Sizeof(query{})<<16 | 0xE9<<8

// ask finds out whether an open file is the device of a format. The runtime
// polls the file, and Fd() would end that.
func ask(device *os.File, format Format) error {
	question := query{format: uint32(format)}
	raw, err := device.SyscallConn()
	if err != nil {
		return err
	}
	var errno syscall.Errno
	err = raw.Control(func(fd uintptr) {
		_, _, errno = syscall.Syscall(syscall.SYS_IOCTL, fd, queryCommand,
			uintptr(unsafe.Pointer(&question)))
	})
	if err == nil && errno != 0 {
		err = &os.PathError{Op: "ioctl", Path: device.Name(), Err: errno}
	}
	if err == nil && int(question.idSize) != layouts[format].size {
		err = fmt.Errorf("%s: IDs of %d bytes", device.Name(), question.idSize)
	}
	return err
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

// advice is that of kuid_error_advice() in libkuid, with the commands.
var advice = map[syscall.Errno]string{
	syscall.ENOENT: load,
	syscall.ENXIO:  load,
	syscall.ENODEV: load,
	syscall.EACCES: read,
	syscall.EPERM:  read,
	syscall.ENOTTY: "The file is not a device of kuid, or the module is older than this " +
		"package. Load the one of its version.",
	syscall.ESTALE: "This machine may be a clone. An administrator must confirm or change " +
		"its node (kuid node), and kuid-claim must claim a number that was claimed.",
	syscall.ENODATA: "The module was loaded with state=required. Restore the saved state " +
		"(kuid restore) and keep it saved (kuid keep).",
	syscall.ENOKEY: "Give this host a number that no other host has (kuid node " +
		"--snowflake NUMBER), or let kuid-claim claim one.",
	syscall.EKEYEXPIRED: "The claim of this host's number has ended. Look if kuid-claim " +
		"runs and reaches its store.",
}

func adviceOn(err error) string {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return advice[errno]
	}
	return ""
}
