// SPDX-License-Identifier: MIT

// Many reads a batch of IDs from kuid, and one more as text, and prints them:
//
//	many [--fallback] [DEVICE]
//
// If there is no device, it fails, or with --fallback makes the IDs itself.
//
// An os.File reads what it is asked for. A bufio.Reader around it reads hundreds
// of IDs ahead, which are lost with it.
package main

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"
)

const (
	count = 5
	size  = 16
	line  = 37
)

// Go opens the device for reading without blocking, so a read may give fewer IDs
// than were asked for. io.ReadFull goes on until it has them all.
func read(path string, size int) ([]byte, error) {
	device, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer device.Close()

	data := make([]byte, size)
	if _, err := io.ReadFull(device, data); err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return data, nil
}

func text(id []byte) string {
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:size])
}

func fromKuid(path string) ([]string, error) {
	batch, err := read(path, count*size)
	if err != nil {
		return nil, err
	}
	last, err := read(path+".txt", line)
	if err != nil {
		return nil, err
	}
	var ids []string
	for ; len(batch) > 0; batch = batch[size:] {
		ids = append(ids, text(batch))
	}
	return append(ids, strings.TrimSpace(string(last))), nil
}

// A UUID version 7: a random one that begins with the time in milliseconds.
func withoutKuid() (string, error) {
	id := make([]byte, size)
	if _, err := rand.Read(id[6:]); err != nil {
		return "", err
	}
	milliseconds := uint64(time.Now().UnixMilli())
	binary.BigEndian.PutUint16(id, uint16(milliseconds>>32))
	binary.BigEndian.PutUint32(id[2:], uint32(milliseconds))
	id[6] = 0x70 | id[6]&0x0f
	id[8] = 0x80 | id[8]&0x3f
	return text(id), nil
}

func manyWithoutKuid() ([]string, error) {
	ids := make([]string, count)
	for i := range ids {
		var err error
		if ids[i], err = withoutKuid(); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

func main() {
	fallback := flag.Bool("fallback", false, "make IDs without the device if it is missing")
	flag.Parse()
	path := "/dev/kuids/v7"
	if flag.NArg() > 0 {
		path = flag.Arg(0)
	}

	ids, err := fromKuid(path)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("no %s: load the module kuid, or use --fallback", path)
		if *fallback {
			ids, err = manyWithoutKuid()
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "many:", err)
		os.Exit(1)
	}
	fmt.Println(strings.Join(ids, "\n"))
}
