// SPDX-License-Identifier: MIT

//go:build stock && linux

package main

import (
	"fmt"
	"time"

	gofrs "github.com/gofrs/uuid"
	google "github.com/google/uuid"

	"kuid.example/userspace/bindings/go"
)

// Two other packages read an ID: its text, version and variant, and the time of
// versions 1 and 6. That of version 7 is in its first digits.
func init() {
	decode = func(id kuid.UUID) error {
		read, err := google.Parse(id.String())
		if err != nil {
			return err
		}
		if kuid.UUID(read) != id || int(read.Version()) != id.Version() || read.Variant() != google.RFC4122 {
			return fmt.Errorf("%v is %v for google/uuid", id, read)
		}
		var stamp gofrs.Timestamp
		at := time.UnixMilli(int64(id[0])<<40 | int64(id[1])<<32 | int64(id[2])<<24 |
			int64(id[3])<<16 | int64(id[4])<<8 | int64(id[5]))
		switch id.Version() {
		case 1:
			stamp, err = gofrs.TimestampFromV1(gofrs.UUID(id))
		case 6:
			stamp, err = gofrs.TimestampFromV6(gofrs.UUID(id))
		}
		if err == nil && id.Version() != 7 {
			at, err = stamp.Time()
		}
		if err != nil {
			return err
		}
		// They have no part below 100 ns, or below 1 ms.
		if off := id.Time().Sub(at); off < 0 || off >= time.Millisecond {
			return fmt.Errorf("%v is of %v, not %v", id, at, id.Time())
		}
		if off := time.Since(at); off < -10*time.Second || off > 10*time.Second {
			return fmt.Errorf("%v is of %v", id, at)
		}
		return nil
	}
}
