// SPDX-License-Identifier: MIT

//go:build !linux

package kuid

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

// newDevice is not called: kuid is a module of Linux, so there is no device file.
func newDevice(*os.File, Format) (io.ReadCloser, error) {
	return nil, fs.ErrInvalid
}

func isForeign(error) bool {
	return false
}

func isMissing(err error) bool {
	return errors.Is(err, fs.ErrNotExist)
}

func adviceOn(error) string {
	return "kuid is a module of Linux. Use Local."
}
