// SPDX-License-Identifier: MIT

package kuid

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
)

// Format is the layout of an ID; kuid(4) describes them.
type Format int

// The formats. Their numbers are those of linux/kuid.h.
const (
	V1 Format = iota + 1
	V6
	V7
	Lex
	K64
	K96
	K128
	Snowflake
	end
)

// A field is some bits of an ID, from the most significant on: a part of the time or of
// its fraction of a millisecond, or bits that are always the same, or any.
type field struct {
	bits int
	kind byte   // 't', 'f', '=' or '*'
	of   uint64 // the bits of the time below the part, or what the bits are
}

var layouts = [end]struct {
	name   string
	size   int
	unit   time.Duration // of its time
	since  int64         // seconds from the start of its time to 1970
	bits   int           // of its time
	fields []field
}{
	V1: {"v1", 16, 100, 12219292800, 60,
		[]field{{32, 't', 0}, {16, 't', 32}, {4, '=', 1}, {12, 't', 48}, {2, '=', 2}, {62, '*', 0}}},
	V6: {"v6", 16, 100, 12219292800, 60,
		[]field{{48, 't', 12}, {4, '=', 6}, {12, 't', 0}, {2, '=', 2}, {62, '*', 0}}},
	V7: {"v7", 16, time.Millisecond, 0, 48,
		[]field{{48, 't', 0}, {4, '=', 7}, {12, 'f', 8}, {2, '=', 2}, {8, 'f', 0}, {54, '*', 0}}},
	Lex: {"lex", 16, time.Microsecond, 0, 64,
		[]field{{64, 't', 0}, {64, '*', 0}}},
	K64:  {"k64", 8, time.Second, 0, 50, nil},
	K96:  {"k96", 12, time.Second, 0, 50, nil},
	K128: {"k128", 16, time.Second, 0, 50, nil},
	Snowflake: {"snowflake", 8, time.Millisecond, 0, 41,
		[]field{{1, '=', 0}, {41, 't', 0}, {22, '*', 0}}},
}

func (f Format) String() string {
	if f < V1 || f >= end {
		return fmt.Sprintf("format %d", int(f))
	}
	return layouts[f].name
}

// Size returns the bytes of an ID, 0 if there is no such format.
func (f Format) Size() int {
	if f < V1 || f >= end {
		return 0
	}
	return layouts[f].size
}

func (f Format) isUUID() bool { return V1 <= f && f <= V7 }

func (f Format) isKOrdered() bool { return K64 <= f && f <= K128 }

// A setting is what an ID doesn't say: I of K96 and K128, for Snowflake the milliseconds
// since 1970 that its time counts from, and of V7 whether kuid made it. Functions with no
// setting use the module's defaults, and read no V7 beyond its milliseconds.
const (
	DefaultInterval       = 8
	DefaultSnowflakeEpoch = 1288834974657
	MadeByKuid            = 1 // V7 has nanoseconds
)

const (
	mega      = 1000000
	msNs      = 1000000
	fractions = 1 << 20 // that v7 divides a millisecond into
)

// fields returns those of a format, and its setting.
func (f Format) fields(given []uint64) ([]field, uint64, error) {
	if f.Size() == 0 {
		return nil, 0, fmt.Errorf("%w: %v", ErrFormat, f)
	}
	setting := [end]uint64{K64: DefaultInterval, K96: DefaultInterval, K128: DefaultInterval, Snowflake: DefaultSnowflakeEpoch}[f]
	if len(given) > 0 {
		setting = given[0]
	}
	if len(given) > 1 || f.isKOrdered() && (setting < 5 || setting > 10) || f == V7 && setting > MadeByKuid {
		return nil, 0, fmt.Errorf("%w: setting %d", ErrFormat, given)
	}
	if f.isKOrdered() {
		below := setting + 10 // bits of the time behind the node
		return []field{{50 - int(below), 't', below}, {8*f.Size() - 64, '*', 0}, {int(below), 't', 0}, {14, '*', 0}}, setting, nil
	}
	return layouts[f].fields, setting, nil
}

// part returns some bits of an ID.
func part(id []byte, from, count int) (value uint64) {
	for i := from; i < from+count; i++ {
		value = value<<1 | uint64(id[i/8]>>(7-i%8)&1)
	}
	return value
}

// units returns the time of an ID in units of its format, its fraction, and its setting.
func units(format Format, id []byte, given []uint64) (count, fraction, setting uint64, err error) {
	fields, setting, err := format.fields(given)
	if err == nil && len(id) != format.Size() {
		err = fmt.Errorf("%w: %d bytes", ErrSize, len(id))
	}
	if err != nil {
		return 0, 0, 0, err
	}
	from := 0
	for _, f := range fields {
		value := part(id, from, f.bits)
		from += f.bits
		if f.kind == 't' {
			count |= value << f.of
		} else if f.kind == 'f' {
			fraction |= value << f.of
		} else if f.kind == '=' && value != f.of {
			return 0, 0, 0, fmt.Errorf("%w: another version, variant or sign", ErrFormat)
		}
	}
	return count, fraction, setting, nil
}

// Its digits are in the order of ASCII, so that texts have the order of IDs.
var sortable64 = base64.NewEncoding(".0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz").
	WithPadding(base64.NoPadding).Strict()

// Text returns the canonical text of an ID.
func Text(format Format, id []byte) (string, error) {
	_, _, _, err := units(format, id, nil)
	switch {
	case err != nil:
		return "", err
	case format.isUUID():
		return uuid.UUID(*(*[16]byte)(id)).String(), nil
	case format == Lex:
		text := uuid.UUID(*(*[16]byte)(id)).String()
		return text[:23] + text[24:], nil
	case format == Snowflake:
		return strconv.FormatUint(binary.BigEndian.Uint64(id), 10), nil
	default:
		return sortable64.EncodeToString(id), nil
	}
}

// ParseID reads the canonical text of an ID, and nothing else, but that a UUID's digits
// may be in upper case.
func ParseID(format Format, text string) (id []byte, err error) {
	canonical := text
	switch {
	case format.Size() == 0:
		return nil, fmt.Errorf("%w: %v", ErrFormat, format)
	case format.isUUID():
		canonical = strings.ToLower(text)
		fallthrough
	case format == Lex:
		id, err = hex.DecodeString(strings.ReplaceAll(text, "-", ""))
	case format == Snowflake:
		var number uint64
		number, err = strconv.ParseUint(text, 10, 63)
		id = make([]byte, 8)
		binary.BigEndian.PutUint64(id, number)
	default:
		id, err = sortable64.DecodeString(text)
	}
	if err == nil {
		// Nothing else has this text, so there is no need to look at each digit.
		var again string
		if again, err = Text(format, id); err == nil && again == canonical {
			return id, nil
		}
	}
	return nil, fmt.Errorf("%w: %q", ErrText, text)
}

// Time returns the time of an ID, rounded down to what it knows.
func Time(format Format, id []byte, setting ...uint64) (time.Time, error) {
	count, fraction, value, err := units(format, id, setting)
	if err != nil {
		return time.Time{}, err
	}
	if format.isKOrdered() {
		return time.Unix(int64(count>>30*mega+count>>10&0xfffff), int64(count&0x3ff)*1024*1000), nil
	}
	var below uint64
	if format == V7 && value == MadeByKuid {
		// kuid doesn't make all fractions.
		if ns := (fraction*msNs + fractions - 1) / fractions; ns*fractions/msNs == fraction {
			below = ns
		}
	} else if format == Snowflake {
		count += value
	}
	l := layouts[format]
	second := uint64(time.Second / l.unit)
	return time.Unix(int64(count/second)-l.since, int64(count%second*uint64(l.unit)+below)), nil
}

// Lowest returns the lowest ID of a format that can have been made at a time.
// All IDs made from one time to another lie between the lowest of the first and
// the highest of the other. Among those of K96 and K128 are others of the same
// 2^I seconds, too.
func Lowest(format Format, at time.Time, setting ...uint64) ([]byte, error) {
	return madeAt(format, at, 0, setting)
}

// Highest returns the highest ID of a format that can have been made at a time.
func Highest(format Format, at time.Time, setting ...uint64) ([]byte, error) {
	return madeAt(format, at, 1, setting)
}

// madeAt returns the ID of a time with all other bits set or not.
func madeAt(format Format, at time.Time, bit byte, given []uint64) ([]byte, error) {
	fields, setting, err := format.fields(given)
	if err != nil {
		return nil, err
	}
	l := layouts[format]
	sec, ns := at.Unix()+l.since, uint64(at.Nanosecond())
	over, count := bits.Mul64(uint64(sec), uint64(time.Second/l.unit))
	count, carry := bits.Add64(count, ns/uint64(l.unit), 0)
	if format == Snowflake {
		var borrow uint64
		count, borrow = bits.Sub64(count, setting, 0)
		carry |= borrow
	} else if format.isKOrdered() {
		over = count / mega >> 20
		count = count/mega<<30 | count%mega<<10 | ns/1024000
	}
	if over|carry|count>>l.bits != 0 {
		return nil, fmt.Errorf("%w: %v", ErrTime, at)
	}
	fraction := ns % msNs * fractions / msNs
	id := make([]byte, format.Size())
	i := 0
	for _, f := range fields {
		for from := f.bits - 1; from >= 0; from-- {
			value := bit
			if f.kind == 't' {
				value = byte(count >> f.of >> from & 1)
			} else if f.kind == 'f' && setting == MadeByKuid {
				value = byte(fraction >> f.of >> from & 1)
			} else if f.kind == '=' {
				value = byte(f.of >> from & 1)
			}
			id[i/8] |= value << (7 - i%8)
			i++
		}
	}
	return id, nil
}
