// SPDX-License-Identifier: MIT

package main

import (
	"os"
	"strconv"
	"strings"
	"syscall"
)

// loseDevice puts /dev/zero in place of all files of kuid, as a program does that
// closes all files and opens others.
func loseDevice() {
	zero, err := os.Open("/dev/zero")
	if err != nil {
		fail(err)
	}
	defer zero.Close()
	const files = "/proc/self/fd/"
	names, err := os.ReadDir(files)
	if err != nil {
		fail(err)
	}
	for _, name := range names {
		fd, _ := strconv.Atoi(name.Name())
		if target, _ := os.Readlink(files + name.Name()); strings.HasPrefix(target, "/dev/kuid") {
			if err := syscall.Dup3(int(zero.Fd()), fd, 0); err != nil {
				fail(err)
			}
		}
	}
}
