// SPDX-License-Identifier: MIT

//go:build !linux

package kuid

import (
	"errors"
	"io/fs"
	"os"
)

const path = "/dev/kuid"

// device is never made: kuid is a module of Linux.
type device struct{}

type status struct {
	clones                      uint32
	unique, ordered, rebootSafe uint64
}

func openDevice(name string) (*device, error) {
	return nil, &os.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

func (*device) generate(Format, bool, []byte) (int, error) { return 0, fs.ErrInvalid }
func (*device) status() (status, error)                    { return status{}, fs.ErrInvalid }

func isForeign(error) bool     { return false }
func wouldBlock(error) bool    { return false }
func isMissing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
func adviceOn(error) string    { return "kuid is a module of Linux. Use Plain." }
