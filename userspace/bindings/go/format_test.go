// SPDX-License-Identifier: MIT

package kuid

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// rows reads a table of published IDs, by the names in its first row.
func rows(t *testing.T, name string) (table []map[string]string) {
	t.Helper()
	text, err := os.ReadFile("../../../selftests/vectors/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		fields := strings.Split(line, "\t")
		switch {
		case strings.HasPrefix(line, "#"):
		case names == nil:
			names = fields
		default:
			row := map[string]string{}
			for i, field := range fields {
				row[names[i]] = field
			}
			table = append(table, row)
		}
	}
	if len(table) == 0 {
		t.Fatalf("%s has no rows", name)
	}
	return table
}

func number(t *testing.T, text string, base int) uint64 {
	t.Helper()
	n, err := strconv.ParseUint(text, base, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// published holds an ID against its text, its time, and the bounds of that time.
func published(t *testing.T, format Format, id []byte, text string, at time.Time, setting ...uint64) {
	t.Helper()
	if got, err := Text(format, id); got != text || err != nil {
		t.Errorf("%v %x: %q, %v", format, id, got, err)
	}
	if got, err := ParseID(format, text); !bytes.Equal(got, id) || err != nil {
		t.Errorf("%v %q: %x, %v", format, text, got, err)
	}
	for _, wrong := range []string{"", "0" + text, text + "-", text + " ", "\x00" + text[1:]} {
		if got, err := ParseID(format, wrong); !errors.Is(err, ErrText) {
			t.Errorf("%v %q: %x, %v", format, wrong, got, err)
		}
	}
	if at.IsZero() {
		return
	}
	if got, err := Time(format, id, setting...); !got.Equal(at) || err != nil {
		t.Errorf("%v %x: %v instead of %v, %v", format, id, got, at, err)
	}
	low, err := Lowest(format, at, setting...)
	high, errHigh := Highest(format, at, setting...)
	if err != nil || errHigh != nil {
		t.Errorf("%v of %v: %v, %v", format, at, err, errHigh)
		return
	}
	// As numbers, version 1 is in another order.
	if format != V1 && (bytes.Compare(low, id) > 0 || bytes.Compare(id, high) > 0) {
		t.Errorf("%v: %x, %x, %x", format, low, id, high)
	}
	for _, bound := range [][]byte{low, high} {
		got, err := Time(format, bound, setting...)
		if !got.Truncate(time.Millisecond).Equal(at.Truncate(time.Millisecond)) || err != nil {
			t.Errorf("%v %x: %v instead of %v, %v", format, bound, got, at, err)
		}
	}
}

func TestPublished(t *testing.T) {
	for _, row := range rows(t, "uuid.tsv") {
		id := MustParse(row["text"])
		format := map[string]Format{"1": V1, "6": V6, "7": V7}[row["version"]]
		ns := int64(number(t, row["unix_ns"], 10))
		at := time.Unix(0, ns/tick*tick)
		if format == V7 {
			at = id.Time() // this one's fraction is no time
		}
		published(t, format, id[:], row["text"], at)
		if id.Time().UnixMilli() != ns/msNs || fmt.Sprint(id.Version()) != row["version"] || !id.IsRFC() {
			t.Error(id, id.Time())
		}
		id[8] |= 0x40
		if _, err := Text(format, id[:]); err == nil || id.IsRFC() || !id.Time().IsZero() {
			t.Error("another variant:", id, id.Time())
		}
	}
	for _, row := range rows(t, "kordered.tsv") {
		id, _ := hex.DecodeString(row["hex"])
		format := map[string]Format{"l": K64, "g": K96, "h": K128}[row["kind"]]
		at := time.Unix(int64(number(t, row["mega"], 10)*mega+number(t, row["sec"], 10)),
			int64(number(t, row["usec"], 10)>>10<<10)*1000)
		var interval []uint64
		if format != K64 {
			interval = append(interval, number(t, row["interval"], 10))
		}
		if number(t, row["sec"], 10) >= mega {
			at = time.Time{} // of no clock
		}
		published(t, format, id, row["text"], at, interval...)
	}
	for _, row := range rows(t, "snowflake.tsv") {
		id, _ := hex.DecodeString(row["hex"])
		at := time.UnixMilli(int64(number(t, row["unix_ms"], 10)))
		published(t, Snowflake, id, row["decimal"], at, number(t, row["epoch_ms"], 10))
	}
	for _, row := range rows(t, "lexical.tsv") {
		id, _ := hex.DecodeString(row["bytes"])
		us := number(t, row["timestamp"], 16)
		published(t, Lex, id, row["text"], time.Unix(int64(us/mega), int64(us%mega)*1000))
	}
}

func TestWrongTextSaysWhere(t *testing.T) {
	const v7 = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"
	for _, row := range []struct {
		format Format
		text   string
		where  int
	}{
		{V7, "", 0}, {V7, v7[:20], 20}, {V7, v7 + "0", 36}, {V7, v7[:9] + "g" + v7[10:], 9},
		{V7, v7[:8] + "_" + v7[9:], 8}, {V7, v7[:3] + "-" + v7[4:], 3}, {V6, v7, 14},
		{V7, v7[:19] + "1" + v7[20:], 19}, {Lex, "00060A24-1820-2078-db3f053403ad937a", 5},
		{K64, "zzzzzzzzzz0", 10}, {K64, "zzz-zzzzzzz", 3}, {K96, ".", 1}, {Snowflake, "", 0},
		{Snowflake, "01", 1}, {Snowflake, "1x", 1}, {Snowflake, "99999999999999999999", 19},
		{Snowflake, "9999999999999999999", 18}, {0, "x", 0},
	} {
		_, err := ParseID(row.format, row.text)
		if want := fmt.Sprintf("%q at character %d", row.text, row.where); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%v: %v, not %s", row.format, err, want)
		}
	}
}

func TestTimesOutOfReach(t *testing.T) {
	for format := V1; format < end; format++ {
		for _, at := range []time.Time{time.Unix(-1e12, 0), time.Unix(1<<62, 0), {}} {
			if id, err := Lowest(format, at); !errors.Is(err, ErrTime) {
				t.Errorf("%v of %v: %x, %v", format, at, id, err)
			}
		}
	}
	for _, format := range []Format{-1, 0, end} {
		if _, err := Lowest(format, time.Now()); !errors.Is(err, ErrFormat) {
			t.Error(err)
		}
		if _, err := Time(format, nil); !errors.Is(err, ErrFormat) {
			t.Error(err)
		}
		if _, err := ParseID(format, ".........."); !errors.Is(err, ErrText) {
			t.Error(err)
		}
	}
	if _, err := Lowest(K96, time.Now(), 11); !errors.Is(err, ErrFormat) {
		t.Error(err)
	}
	if _, err := Time(K128, make([]byte, 16), 4); !errors.Is(err, ErrFormat) {
		t.Error(err)
	}
	if _, err := Text(Snowflake, bytes.Repeat([]byte{0xff}, 8)); !errors.Is(err, ErrFormat) {
		t.Error(err)
	}
}

// After the clock was set back, and within a nanosecond, times go on.
func TestPlainIncreases(t *testing.T) {
	var l process
	for _, row := range []struct {
		at          time.Time
		count       int
		first, last int64
	}{
		{time.Unix(0, 1000), 5, 1000, 1004}, {time.Unix(0, 10), 1, 1005, 1005}, {time.Unix(0, 2000), 1, 2000, 2000},
		// A clock that no ID can tell hands out nothing.
		{time.Unix(0, -1), 1, 0, 2000}, {time.Time{}, 1, 0, 2000}, {time.Unix(1<<48/1000+1, 0), 1, 0, 2000},
		{time.Unix(math.MaxInt64/1_000_000_000, 0), 1, 0, 2000},
		{time.Unix(math.MaxInt64/1_000_000_000-1, 0), 1<<31 - 1, 0, 2000},
	} {
		first, err := l.reserve(row.at, row.count)
		if first != row.first || l.last != row.last || errors.Is(err, ErrTime) != (row.first == 0) {
			t.Error(row, first, l.last, err)
		}
	}
	if err := l.fill(make([]byte, 16), time.Unix(0, -1)); !errors.Is(err, ErrTime) {
		t.Error(err)
	}
	ids := make([]byte, 16*1000)
	before := time.Now()
	if err := (&Generator{From: Plain}).Fill(context.Background(), V7, ids); err != nil {
		t.Fatal(err)
	}
	var last UUID
	for i := 0; i < len(ids); i += 16 {
		id := UUID(*(*[16]byte)(ids[i:]))
		if id.Version() != 7 || !id.IsRFC() || id.String() <= last.String() || id.Time().Before(before.Truncate(0)) {
			t.Fatal(id, "after", last)
		}
		last = id
	}
}

func TestUniqueOverGoroutines(t *testing.T) {
	const goroutines, each = 8, 20000
	g := &Generator{From: Plain}
	var seen sync.Map
	var wait sync.WaitGroup
	for i := 0; i < goroutines; i++ {
		wait.Add(1)
		go func() {
			defer wait.Done()
			var last UUID
			for j := 0; j < each; j++ {
				id, err := g.NewV7()
				if _, twice := seen.LoadOrStore(id, true); err != nil || twice || id.String() <= last.String() {
					t.Errorf("%v after %v: %v, %v", id, last, twice, err)
					return
				}
				last = id
			}
		}()
	}
	wait.Wait()
}
