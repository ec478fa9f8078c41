// SPDX-License-Identifier: MIT

package kuid

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
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

var layouts = [end]struct {
	name string
	size int
}{
	V1: {"v1", 16}, V6: {"v6", 16}, V7: {"v7", 16}, Lex: {"lex", 16},
	K64: {"k64", 8}, K96: {"k96", 12}, K128: {"k128", 16}, Snowflake: {"snowflake", 8},
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

const (
	tick       = 100                // nanoseconds, the unit of time in v1 and v6
	unixTicks  = 0x01B21DD213814000 // from 1582-10-15 to 1970-01-01
	variant    = 1 << 63            // in the second word
	fractions  = 1 << 20            // that v7 divides a millisecond into
	belowTicks = 54                 // bits of v7 that are below its fraction
	msNs       = 1000000
	secTicks   = 10000000
	mega       = 1000000
)

// A setting is a parameter of the module that an ID doesn't say: I of K96 and K128,
// and for Snowflake the milliseconds since 1970 that its time counts from. Functions
// with no setting use these.
const (
	DefaultInterval       = 8
	DefaultSnowflakeEpoch = 1288834974657
)

// Its digits are in the order of ASCII, so that texts have the order of IDs.
const sortableDigits = ".0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"

var sortable64 = base64.NewEncoding(sortableDigits).WithPadding(base64.NoPadding).Strict()

// words returns the first and the second 8 bytes of an ID, with zeros behind it.
func words(format Format, id []byte) (high, low uint64, err error) {
	var bytes [16]byte
	if size := format.Size(); size == 0 {
		return 0, 0, fmt.Errorf("%w: %v", ErrFormat, format)
	} else if len(id) != size {
		return 0, 0, fmt.Errorf("%w: %d bytes", ErrSize, len(id))
	}
	copy(bytes[:], id)
	high, low = binary.BigEndian.Uint64(bytes[:]), binary.BigEndian.Uint64(bytes[8:])
	if format.isUUID() && (int(high>>12&15) != map[Format]int{V1: 1, V6: 6, V7: 7}[format] || low>>62 != 2) {
		return 0, 0, fmt.Errorf("%w: another version or variant", ErrFormat)
	}
	if format == Snowflake && high>>63 != 0 {
		return 0, 0, fmt.Errorf("%w: a negative snowflake", ErrFormat)
	}
	return high, low, nil
}

// Text returns the canonical text of an ID.
func Text(format Format, id []byte) (string, error) {
	high, _, err := words(format, id)
	switch {
	case err != nil:
		return "", err
	case format.isUUID():
		return UUID(*(*[16]byte)(id)).String(), nil
	case format == Lex:
		text := UUID(*(*[16]byte)(id)).String()
		return text[:23] + text[24:], nil
	case format == Snowflake:
		return strconv.FormatUint(high, 10), nil
	default:
		return sortable64.EncodeToString(id), nil
	}
}

// ParseID reads the canonical text of an ID, and nothing else. Its error says at
// which character the text is wrong. Parse is for UUIDs of any version.
func ParseID(format Format, text string) (id []byte, err error) {
	canonical := text
	switch {
	case format.isUUID():
		canonical = strings.ToLower(text)
		id, err = hex.DecodeString(strings.ReplaceAll(text, "-", ""))
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
	return nil, wrong(format, text)
}

const hexDigits = "0123456789abcdef"

// wrong says at which character a text is not that of a format, or of any UUID.
func wrong(format Format, text string) error {
	shape, digits, last := "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx", hexDigits+"ABCDEF", 0
	switch {
	case format.isUUID():
		last = 14 // of the version, or of the variant
		if len(text) > last && text[last:last+1] == layouts[format].name[1:] {
			last = 19
		}
	case format == Lex:
		shape, digits = "xxxxxxxx-xxxx-xxxx-xxxxxxxxxxxxxxxx", hexDigits
	case format == Snowflake:
		shape, digits, last = strings.Repeat("x", 19), hexDigits[:10], len(text)-1
		if strings.HasPrefix(text, "0") {
			shape = "x"
		} else if len(text) > 0 && len(text) < len(shape) {
			shape = shape[:len(text)]
		}
	case format.Size() > 0:
		last = format.Size() * 8 / 6 // which has bits that belong to no ID
		shape, digits = strings.Repeat("x", last+1), sortableDigits
	}
	where := 0
	for where < len(text) && where < len(shape) &&
		(shape[where] == text[where] && text[where] == '-' || shape[where] == 'x' && strings.IndexByte(digits, text[where]) >= 0) {
		where++
	}
	if where == len(text) && where == len(shape) {
		where = last
	}
	return fmt.Errorf("%w: %q at character %d", ErrText, text, where)
}

// settingOf returns the setting of a format.
func settingOf(format Format, given []uint64) (setting uint64, err error) {
	setting = DefaultInterval
	if format == Snowflake {
		setting = DefaultSnowflakeEpoch
	}
	if len(given) > 0 {
		setting = given[0]
	}
	if len(given) > 1 || format != Snowflake && (setting < 5 || setting > 10) {
		err = fmt.Errorf("%w: setting %d", ErrFormat, given)
	}
	return setting, err
}

// split returns how many bits of a k-ordered ID are behind its node.
func split(interval uint64) uint { return uint(interval) + 24 }

// Time returns the time of an ID, rounded down to what its format tells apart.
func Time(format Format, id []byte, setting ...uint64) (time.Time, error) {
	high, low, err := words(format, id)
	if err != nil {
		return time.Time{}, err
	}
	value, err := settingOf(format, setting)
	if err != nil {
		return time.Time{}, err
	}
	var ticks uint64
	switch format {
	case V1:
		ticks = high&0xfff<<48 | high>>16&0xffff<<32 | high>>32
	case V6:
		ticks = high>>16<<12 | high&0xfff
	case V7:
		fraction := high&0xfff<<8 | low>>belowTicks&0xff
		ns := (fraction*msNs + fractions - 1) / fractions
		if ns == msNs { // no fraction of kuid's
			ns--
		}
		return time.UnixMilli(int64(high >> 16)).Add(time.Duration(ns)), nil
	case Lex:
		return time.Unix(int64(high/mega), int64(high%mega)*1000), nil
	case Snowflake:
		return time.UnixMilli(int64(high>>22 + value)), nil
	default:
		behind, k64 := split(value), high
		if format == K96 {
			k64 = high>>behind<<behind | (high<<32|low>>32)&(1<<behind-1)
		} else if format == K128 {
			k64 = high>>behind<<behind | low&(1<<behind-1)
		}
		a, b, c := k64>>44, k64>>24&0xfffff, k64>>14&0x3ff
		return time.Unix(int64(a*mega+b), int64(c)*1024*1000), nil
	}
	since := int64(ticks) - unixTicks
	return time.Unix(since/secTicks, since%secTicks*tick), nil
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
	return madeAt(format, at, math.MaxUint64, setting)
}

// madeAt returns the ID of a time with all other bits set or not.
func madeAt(format Format, at time.Time, rest uint64, given []uint64) ([]byte, error) {
	setting, err := settingOf(format, given)
	if err != nil {
		return nil, err
	}
	high, low := rest, variant|rest>>2
	sec, ms, us := at.Unix(), at.UnixMilli(), uint64(at.Nanosecond()/1000)
	reached := sec >= 0
	switch format {
	case V1, V6:
		const before = unixTicks / secTicks
		sec += before
		ticks := uint64(sec)*secTicks + uint64(at.Nanosecond()/tick)
		reached = sec >= 0 && sec <= 1<<60/secTicks && ticks < 1<<60
		high = ticks>>12<<16 | 0x6000 | ticks&0xfff
		if format == V1 {
			high = ticks<<32 | ticks>>32&0xffff<<16 | 0x1000 | ticks>>48&0xfff
		}
	case V7:
		reached = reached && sec <= 1<<48/1000 && ms < 1<<48
		high = uint64(ms)<<16 | 0x7000 | rest&0xfff
	case Lex:
		reached = reached && uint64(sec) < math.MaxUint64/mega
		high, low = uint64(sec)*mega+us, rest
	case Snowflake:
		since := uint64(ms) - setting
		reached = reached && sec < math.MaxInt64/1000 && since < 1<<41
		high = since<<22 | rest&(1<<22-1)
	case K64, K96, K128:
		split := split(setting)
		reached = reached && uint64(sec)/mega < 1<<20
		high = uint64(sec)/mega<<44 | uint64(sec)%mega<<24 | us>>10<<14 | rest&(1<<14-1)
		behind := high & (1<<split - 1)
		if format == K96 {
			high = high ^ behind | rest>>32<<32>>(64-split) | behind>>32
			low = (rest<<split | behind) << 32
		} else if format == K128 {
			high, low = high^behind|rest>>(64-split), rest<<split|behind
		}
	default:
		return nil, fmt.Errorf("%w: %v", ErrFormat, format)
	}
	if !reached {
		return nil, fmt.Errorf("%w: %v", ErrTime, at)
	}
	var id [16]byte
	binary.BigEndian.PutUint64(id[:], high)
	binary.BigEndian.PutUint64(id[8:], low)
	return id[:format.Size()], nil
}
