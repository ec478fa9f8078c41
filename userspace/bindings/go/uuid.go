// SPDX-License-Identifier: MIT

package kuid

import (
	"database/sql/driver"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"time"
)

// UUID is an ID of 16 bytes. It converts to the types of other packages that
// are 16 bytes, as in uuid.UUID(id).
type UUID [16]byte

const (
	tick       = 100                // nanoseconds, the unit of time in v1 and v6
	unixTicks  = 0x01B21DD213814000 // from 1582-10-15 to 1970-01-01
	variant    = 1 << 63            // in the second word
	fractions  = 1 << 20            // that v7 divides a millisecond into
	belowTicks = 54                 // bits of v7 that are below its fraction
	msNs       = 1e6
	secNs      = 1e9
)

// SnowflakeEpoch is what the milliseconds of snowflakes count from, unless the
// module was loaded with another snowflake_epoch_ms: milliseconds since 1970.
const SnowflakeEpoch = 1288834974657

// Its digits are in the order of ASCII, so that texts have the order of IDs.
var sortable64 = base64.NewEncoding(
	".0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz").
	WithPadding(base64.NoPadding)

func join(high, low uint64) (id UUID) {
	binary.BigEndian.PutUint64(id[:8], high)
	binary.BigEndian.PutUint64(id[8:], low)
	return id
}

func v1High(ticks uint64) uint64 {
	return ticks<<32 | ticks>>32&0xffff<<16 | 0x1000 | ticks>>48&0xfff
}

func v6High(ticks uint64) uint64 {
	return ticks>>12<<16 | 0x6000 | ticks&0xfff
}

func v7(ms, fraction, below uint64) (high, low uint64) {
	return ms<<16 | 0x7000 | fraction>>8,
		variant | fraction&0xff<<belowTicks | below&(1<<belowTicks-1)
}

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
func (id UUID) MarshalText() ([]byte, error) {
	return []byte(id.String()), nil
}

// Value returns the canonical text, for database/sql.
func (id UUID) Value() (driver.Value, error) {
	return id.String(), nil
}

// Version returns the version of RFC 9562: 1, 6 or 7 for UUIDs of this package.
func (id UUID) Version() int {
	return int(id[6] >> 4)
}

// Time returns the time of a UUID that this package has made: for versions 1
// and 6 to 100 ns, for version 7 to 1 ns. It is zero for other versions. A
// version 7 from elsewhere may have anything below the millisecond.
func (id UUID) Time() time.Time {
	high := binary.BigEndian.Uint64(id[:8])
	var ticks uint64

	switch id.Version() {
	case 1:
		ticks = high&0xfff<<48 | high>>16&0xffff<<32 | high>>32
	case 6:
		ticks = high>>16<<12 | high&0xfff
	case 7:
		fraction := high&0xfff<<8 | binary.BigEndian.Uint64(id[8:])>>belowTicks&0xff
		ns := (fraction*msNs + fractions - 1) / fractions
		return time.UnixMilli(int64(high >> 16)).Add(time.Duration(ns))
	default:
		return time.Time{}
	}
	ticks -= unixTicks
	return time.Unix(int64(ticks)/(secNs/tick), int64(ticks)%(secNs/tick)*tick)
}

// K64Text returns the canonical text of a k64, 11 digits of sortable base 64.
// That of a snowflake is decimal, as strconv.FormatInt() writes it.
func K64Text(id int64) string {
	var bytes [8]byte
	binary.BigEndian.PutUint64(bytes[:], uint64(id))
	return sortable64.EncodeToString(bytes[:])
}

// K64Time returns the time of a k64, to 1,024 us.
func K64Time(id int64) time.Time {
	a, b, c := id>>44&0xfffff, id>>24&0xfffff, id>>14&0x3ff
	return time.Unix(a*1e6+b, c*1024*1000)
}

// SnowflakeTime returns the time of a snowflake, to the millisecond. Its epoch
// is SnowflakeEpoch, unless the module was loaded with another one.
func SnowflakeTime(id, epoch int64) time.Time {
	return time.UnixMilli(id>>22 + epoch)
}
