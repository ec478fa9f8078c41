// SPDX-License-Identifier: MIT

// Many reads a batch of IDs from kuid and prints them: many [DEVICE]
//
// An os.File reads what it is asked for. A bufio.Reader around it reads hundreds
// of IDs ahead, which are lost with it.
package main

import (
	"fmt"
	"io"
	"os"
)

const (
	count = 5
	size  = 16
)

// Go opens the device for reading without blocking, so a read may give fewer IDs
// than were asked for. io.ReadFull goes on until it has them all.
func read(path string) ([]byte, error) {
	device, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer device.Close()

	batch := make([]byte, count*size)
	if _, err := io.ReadFull(device, batch); err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return batch, nil
}

func main() {
	path := "/dev/kuids/v7"
	if len(os.Args) > 1 {
		path = os.Args[1]
	}

	batch, err := read(path)
	if err != nil {
		fmt.Fprintln(os.Stderr, "many:", err)
		os.Exit(1)
	}
	for ; len(batch) > 0; batch = batch[size:] {
		fmt.Printf("%x-%x-%x-%x-%x\n", batch[:4], batch[4:6], batch[6:8],
			batch[8:10], batch[10:size])
	}
}
