// SPDX-License-Identifier: MIT

package kuid

import (
	"encoding/hex"
	"fmt"
	"math/rand"
	"os"
	"sort"
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

func TestPublishedUUIDs(t *testing.T) {
	for _, row := range rows(t, "uuid.tsv") {
		ns := number(t, row["unix_ns"], 10)
		var id UUID
		if row["version"] == "7" {
			low := number(t, row["rand_b"], 16)
			id = join(v7(ns/msNs, number(t, row["rand_a"], 16)<<8|low>>belowTicks&0xff, low))
		} else {
			l := lane{low: variant | number(t, row["clock_seq"], 16)<<seqLaneShift |
				number(t, row["node"], 16)}
			id = join(l.pack(map[string]Format{"1": V1, "6": V6}[row["version"]], int64(ns)))
			if got := id.Time(); got.UnixNano()/tick != int64(ns)/tick {
				t.Errorf("time of %v is %v", id, got)
			}
		}
		if id.String() != row["text"] || fmt.Sprint(id.Version()) != row["version"] {
			t.Errorf("%v is not %s", id, row["text"])
		}
	}
}

func TestPublishedNumbers(t *testing.T) {
	for _, row := range rows(t, "kordered.tsv") {
		if row["kind"] != "l" {
			continue
		}
		id := int64(number(t, row["hex"], 16))
		want := time.Unix(int64(number(t, row["mega"], 10)*1e6+number(t, row["sec"], 10)),
			int64(number(t, row["usec"], 10))*1000)
		if K64Text(id) != row["text"] || !K64Time(id).Equal(want) {
			t.Errorf("%s: %s of %v", row["hex"], K64Text(id), K64Time(id))
		}
	}
	for _, row := range rows(t, "snowflake.tsv") {
		got := SnowflakeTime(int64(number(t, row["hex"], 16)), int64(number(t, row["epoch_ms"], 10)))
		if uint64(got.UnixMilli()) != number(t, row["unix_ms"], 10) {
			t.Errorf("%s: %v", row["hex"], got)
		}
	}
}

func TestHash(t *testing.T) {
	// From the reference implementation: key 00 01 ... 0f, message 00 ... 07.
	got := siphash(0x0706050403020100, 0x0f0e0d0c0b0a0908, 0x0706050403020100)
	if got != 0x93f5f5799a932462 {
		t.Errorf("%x", got)
	}
}

// world is a pair of clocks that a test sets. A sleep ends when it should.
type world struct{ wall, mono, slept int64 }

func (w *world) pass(ns int64) { w.wall, w.mono = w.wall+ns, w.mono+ns }

func (w *world) lanes(t *testing.T) *lanes {
	t.Helper()
	ls := &lanes{
		read:  func() (int64, int64) { return w.wall, w.mono },
		sleep: func(d time.Duration) { w.slept += int64(d); w.pass(int64(d)) },
	}
	if err := ls.replace(); err != nil {
		t.Fatal(err)
	}
	return ls
}

func newWorld() *world { return &world{wall: 1700000000123456789, mono: 5e9} }

// stamp returns the nanosecond that a v7 was made from.
func stamp(t *testing.T, ls *lanes) int64 {
	t.Helper()
	var id UUID
	err := ls.one(V7, &id)
	if err != nil {
		t.Fatal(err)
	}
	return id.Time().UnixNano()
}

func TestClockSetBack(t *testing.T) {
	w := newWorld()
	ls := w.lanes(t)
	before, first := stamp(t, ls), ls.current.Load()
	if before != w.wall {
		t.Fatalf("%d instead of %d", before, w.wall)
	}
	// Half speed: while the clock is behind, 2 s make 1 s.
	w.wall -= 5 * secNs
	if got := stamp(t, ls); got != before+1 {
		t.Errorf("%d ns later after the step", got-before)
	}
	w.pass(2 * secNs)
	if got := stamp(t, ls) - before; got < secNs-jitter || got > secNs+jitter {
		t.Errorf("2 s gave %d ns", got)
	}
	// It has caught up after twice the step.
	w.pass(9 * secNs)
	if got := stamp(t, ls); got != w.wall {
		t.Errorf("%d ns in front of the wall clock", got-w.wall)
	}
	if ls.current.Load() != first || w.slept != 0 {
		t.Errorf("a step of 5 s took another lane, or %d ns of sleep", w.slept)
	}
	// Steps add up to more than the limit: another lane, at the wall clock.
	w.wall -= 6 * secNs
	stamp(t, ls)
	w.wall -= 6 * secNs
	if got := stamp(t, ls); got != w.wall || ls.current.Load() == first {
		t.Errorf("%d ns in front of the wall clock after 12 s", got-w.wall)
	}
	// Set forward, and back again.
	w.wall += 3600 * secNs
	if got := stamp(t, ls); got != w.wall {
		t.Errorf("%d ns off the wall clock", got-w.wall)
	}
}

func TestWindow(t *testing.T) {
	w := newWorld()
	ls := w.lanes(t)
	from := w.wall
	// Lend the lane what is left of the window, but for a few IDs.
	ls.current.Load().last.Store(from + maxAhead/2 - 10)
	ids := make([]UUID, 110)
	if err := ls.many(V7, ids); err != nil {
		t.Fatal(err)
	}
	if w.slept < 99 || w.slept > 2*110 {
		t.Errorf("a batch slept for %d ns", w.slept)
	}
	for i := 1; i < len(ids); i++ {
		if string(ids[i-1][:]) >= string(ids[i][:]) {
			t.Fatalf("%v before %v", ids[i-1], ids[i])
		}
	}
	// A single may use all of the window.
	w.slept = 0
	ls.current.Load().last.Store(w.wall + maxAhead - 1)
	if got := stamp(t, ls); got != w.wall+maxAhead || w.slept != 0 {
		t.Errorf("a single at %d slept for %d ns", got-w.wall, w.slept)
	}
	if got := stamp(t, ls); got > w.wall+maxAhead || w.slept < 1 {
		t.Errorf("a single at %d slept for %d ns", got-w.wall, w.slept)
	}
	// Steps back while the window is used up don't widen it.
	for step := int64(1); step <= 5; step++ {
		w.wall -= 2 * jitter
		if got := stamp(t, ls); got > w.wall+step*2*jitter+maxAhead {
			t.Errorf("step %d: %d ns in front", step, got-w.wall)
		}
		ls.current.Load().last.Store(ls.clock.at(w.mono) + maxAhead)
	}
}

// A clock that is set at random: IDs of a lane increase, and no time is further
// in front of all that the wall clock has shown than it may be.
func TestClockSetAtRandom(t *testing.T) {
	seed := time.Now().UnixNano()
	random := rand.New(rand.NewSource(seed))
	w := newWorld()
	ls := w.lanes(t)
	var l *lane
	var last int64
	for i := 0; i < 100000; i++ {
		switch random.Intn(8) {
		case 0:
			w.wall += int64(random.ExpFloat64()*float64(secNs)) * int64(1-2*random.Intn(2))
		case 1:
			ls.current.Load().last.Add(random.Int63n(maxAhead))
		default:
			w.pass(int64(random.ExpFloat64() * 1e8))
		}
		got := stamp(t, ls)
		if got-w.wall > stepLimit+maxAhead+jitter {
			t.Fatalf("seed %d, step %d: %d ns ahead", seed, i, got-w.wall)
		}
		if l == ls.current.Load() && got <= last {
			t.Fatalf("seed %d, step %d: %d after %d", seed, i, got, last)
		}
		l, last = ls.current.Load(), got
	}
}

func TestStampAndNode(t *testing.T) {
	l, err := newLane()
	if err != nil {
		t.Fatal(err)
	}
	other, _ := newLane()
	if l.low&nodeMask == other.low&nodeMask || l.key == other.key {
		t.Error("two lanes have one node or key")
	}
	var below int
	for _, format := range []Format{V1, V6, V7} {
		var last UUID
		for ns := int64(1700000000000999900); ns < 1700000000001000300; ns++ {
			id := join(l.pack(format, ns))
			if id.Version() != map[Format]int{V1: 1, V6: 6, V7: 7}[format] || id[8]>>6 != 2 {
				t.Fatalf("%v", id)
			}
			if format != V7 && id[10]&1 == 0 {
				t.Fatalf("%v has no multicast bit", id)
			}
			resolution := map[Format]int64{V1: tick, V6: tick, V7: 1}[format]
			if id.Time().UnixNano() != ns/resolution*resolution {
				t.Fatalf("%v is of %d, not %d", id, id.Time().UnixNano(), ns)
			}
			if format != V1 && string(last[:]) >= string(id[:]) {
				t.Fatalf("%v before %v", last, id)
			}
			if format == V7 && last[15] > id[15] {
				below++
			}
			last = id
		}
	}
	// In v7, the bits below the time are a hash.
	if below < 100 {
		t.Errorf("the last byte fell %d times in 400", below)
	}
}

func TestUniqueOverGoroutines(t *testing.T) {
	const goroutines, each = 8, 20000
	// While the clock stands still, all depends on the lane.
	g := &Generator{From: Local}
	g.lanes.Store(newWorld().lanes(t))
	all := make([][]string, goroutines)
	var wait sync.WaitGroup
	for i := range all {
		wait.Add(1)
		go func(i int) {
			defer wait.Done()
			for j := 0; j < each; j++ {
				id, err := g.NewV6()
				if err != nil {
					t.Error(err)
					return
				}
				all[i] = append(all[i], hex.EncodeToString(id[:]))
			}
		}(i)
	}
	wait.Wait()
	var ids []string
	for _, of := range all {
		if !sort.StringsAreSorted(of) {
			t.Error("a goroutine got IDs out of order")
		}
		ids = append(ids, of...)
	}
	sort.Strings(ids)
	for i := 1; i < len(ids); i++ {
		if ids[i] == ids[i-1] {
			t.Fatalf("%s twice", ids[i])
		}
	}
	if len(ids) != goroutines*each {
		t.Errorf("%d IDs", len(ids))
	}
}
