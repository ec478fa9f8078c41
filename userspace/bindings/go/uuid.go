// SPDX-License-Identifier: MIT

package kuid

import (
	"database/sql/driver"
	"encoding/hex"
	"fmt"
	"strings"
	"time"
)

// UUID is an ID of 16 bytes. It converts to the types of other packages that
// are 16 bytes, as in uuid.UUID(id).
type UUID [16]byte

// Nil is the UUID whose bits are all zero.
var Nil UUID

// Must returns the UUID, or panics if there is an error:
//
//	id := kuid.Must(kuid.NewV7())
func Must(id UUID, err error) UUID {
	if err != nil {
		panic(err)
	}
	return id
}

// Parse reads the canonical text of a UUID of any version, 8-4-4-4-12 digits in
// either case, and nothing else.
func Parse(text string) (id UUID, err error) {
	digits := strings.ReplaceAll(text, "-", "")
	if len(digits) == 32 {
		_, err = hex.Decode(id[:], []byte(digits))
	}
	if err != nil || id.String() != strings.ToLower(text) {
		return Nil, wrong(0, text)
	}
	return id, nil
}

// MustParse is Parse that panics on an error, for constants.
func MustParse(text string) UUID { return Must(Parse(text)) }

// String returns the canonical text, 8-4-4-4-12 hexadecimal digits.
func (id UUID) String() string {
	var text [36]byte
	hex.Encode(text[:8], id[:4])
	hex.Encode(text[9:13], id[4:6])
	hex.Encode(text[14:18], id[6:8])
	hex.Encode(text[19:23], id[8:10])
	hex.Encode(text[24:], id[10:])
	text[8], text[13], text[18], text[23] = '-', '-', '-', '-'
	return string(text[:])
}

// MarshalText returns the canonical text, for encoding/json and others.
func (id UUID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText reads the canonical text.
func (id *UUID) UnmarshalText(text []byte) (err error) {
	*id, err = Parse(string(text))
	return err
}

// MarshalBinary returns the bytes.
func (id UUID) MarshalBinary() ([]byte, error) { return id[:], nil }

// UnmarshalBinary takes the bytes.
func (id *UUID) UnmarshalBinary(bytes []byte) error {
	if len(bytes) != len(id) {
		return fmt.Errorf("%w: %d bytes", ErrSize, len(bytes))
	}
	copy(id[:], bytes)
	return nil
}

// Value returns the canonical text, for database/sql.
func (id UUID) Value() (driver.Value, error) { return id.String(), nil }

// Scan takes the text or the bytes that a database returns. NULL is an error: scan
// into a pointer to a *UUID then.
func (id *UUID) Scan(value any) error {
	switch value := value.(type) {
	case string:
		return id.UnmarshalText([]byte(value))
	case []byte:
		if len(value) == len(id) {
			return id.UnmarshalBinary(value)
		}
		return id.UnmarshalText(value)
	default:
		return fmt.Errorf("%w: %T", ErrText, value)
	}
}

// Version returns the version of RFC 9562: 1, 6 or 7 for UUIDs of this package. It
// means nothing if IsRFC is false.
func (id UUID) Version() int { return int(id[6] >> 4) }

// IsRFC tells whether the UUID has the variant of RFC 9562.
func (id UUID) IsRFC() bool { return id[8]>>6 == 2 }

// Time returns the time of a UUID: for versions 1 and 6 to 100 ns, for a version 7
// that this package has made to 1 ns. It is the zero time for UUIDs of other
// versions and variants. A version 7 from elsewhere may have anything below the
// millisecond.
func (id UUID) Time() time.Time {
	format := map[int]Format{1: V1, 6: V6, 7: V7}[id.Version()]
	at, _ := Time(format, id[:])
	return at
}
