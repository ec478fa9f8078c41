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

	"github.com/google/uuid"
)

// Each published ID has its text, its time, and the bounds of that time. Each wrong text
// is refused.
func TestPublished(t *testing.T) {
	table, err := os.ReadFile("../ids.tsv")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(table)), "\n") {
		row := strings.Split(line, "\t")
		if strings.HasPrefix(line, "#") {
			continue
		}
		format, text := V1, row[2]
		for format.Size() > 0 && format.String() != row[0] {
			format++
		}
		id, err := ParseID(format, text)
		if len(row) == 4 {
			if !errors.Is(err, ErrText) {
				t.Error(line, id, err)
			}
			continue
		}
		if hex.EncodeToString(id) != row[3] || err != nil {
			t.Error(line, id, err)
		}
		if again, err := Text(format, id); again != text || err != nil {
			t.Error(line, again, err)
		}
		if row[4] == "-" {
			continue // of no clock
		}
		var setting []uint64
		if number, err := strconv.ParseUint(row[1], 10, 64); err == nil {
			setting = append(setting, number)
		} else if row[1] == "made_by_kuid" {
			setting = append(setting, MadeByKuid)
		}
		at, err := Time(format, id, setting...)
		if ns := fmt.Sprint(at.UnixNano()); ns != row[4] || err != nil {
			t.Error(line, ns, err)
		}
		low, err := Lowest(format, at, setting...)
		high, errHigh := Highest(format, at, setting...)
		if hex.EncodeToString(low) != row[5] || hex.EncodeToString(high) != row[6] || err != nil || errHigh != nil {
			t.Errorf("%s: %x, %x, %v, %v", line, low, high, err, errHigh)
		}
	}
}

func TestBadIDs(t *testing.T) {
	is := func(want error) func(any, error) {
		t.Helper()
		return func(got any, err error) {
			t.Helper()
			if !errors.Is(err, want) {
				t.Error(got, err)
			}
		}
	}
	for format := V1; format < end; format++ {
		for _, at := range []time.Time{time.Unix(-1e12, 0), time.Unix(1<<62, 0), time.Unix(1<<34*mega, 0), time.Unix(math.MaxInt64, 0), {}} {
			is(ErrTime)(Lowest(format, at))
		}
		is(ErrSize)(Text(format, make([]byte, 17)))
	}
	for _, format := range []Format{-1, 0, end} {
		is(ErrFormat)(Lowest(format, time.Now()))
		is(ErrFormat)(Time(format, nil))
		is(ErrFormat)(ParseID(format, ""))
	}
	is(ErrFormat)(Lowest(K96, time.Now(), 11))
	is(ErrFormat)(Time(K128, make([]byte, 16), 4))
	is(ErrFormat)(Lowest(V7, time.Now(), MadeByKuid+1))
	is(ErrFormat)(Text(Snowflake, bytes.Repeat([]byte{0xff}, 8)))
	is(ErrFormat)(Text(V7, bytes.Repeat([]byte{0x70}, 16)))
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
	before := time.Now().Truncate(0)
	if err := (&Generator{From: Plain}).Fill(context.Background(), V7, ids); err != nil {
		t.Fatal(err)
	}
	for last := []byte(nil); len(ids) > 0; ids = ids[16:] {
		at, err := Time(V7, ids[:16], MadeByKuid)
		if err != nil || bytes.Compare(ids[:16], last) <= 0 || at.Before(before) {
			t.Fatal(ids[:16], "after", last, err)
		}
		last = ids[:16]
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
			var last uuid.UUID
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
