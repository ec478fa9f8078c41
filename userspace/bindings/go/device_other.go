// SPDX-License-Identifier: MIT

//go:build !linux

package kuid

import (
	"errors"
	"io/fs"
	"os"
)

// ask is not called: kuid is a module of Linux, so there is no device file.
func ask(*os.File, Format) error {
	return fs.ErrInvalid
}

func isMissing(err error) bool {
	return errors.Is(err, fs.ErrNotExist)
}

func adviceOn(error) string {
	return "kuid is a module of Linux. Use Local."
}
