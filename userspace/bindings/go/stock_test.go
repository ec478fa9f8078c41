// SPDX-License-Identifier: MIT

//go:build stock && linux

package kuid

// What needs other packages, so it is built on request: our type converts to
// theirs, databases give it back, and benchmarks beside their generators.

import (
	"database/sql"
	"io"
	"os"
	"testing"

	gofrs "github.com/gofrs/uuid"
	google "github.com/google/uuid"
	_ "github.com/mattn/go-sqlite3"
)

func TestConvertsToOthers(t *testing.T) {
	id := Must((&Generator{From: Plain}).NewV7())
	if google.UUID(id).String() != id.String() || gofrs.UUID(id).String() != id.String() {
		t.Errorf("%v is %v and %v", id, google.UUID(id), gofrs.UUID(id))
	}
	if parsed, err := google.Parse(id.String()); err != nil || UUID(parsed) != id {
		t.Errorf("%v is %v: %v", id, parsed, err)
	}
}

// As database/sql, and all that stands on it, writes and reads a column.
func TestDatabase(t *testing.T) {
	db, err := sql.Open("sqlite3", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	id := Must((&Generator{From: Plain}).NewV7())
	if _, err := db.Exec("CREATE TABLE orders (id TEXT, bytes BLOB, parent TEXT)"); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("INSERT INTO orders VALUES (?, ?, ?)", id, id[:], (*UUID)(nil)); err != nil {
		t.Fatal(err)
	}
	var text, bytes UUID
	var parent *UUID
	row := db.QueryRow("SELECT id, bytes, parent FROM orders WHERE id = ?", id)
	if err := row.Scan(&text, &bytes, &parent); err != nil || text != id || bytes != id || parent != nil {
		t.Error(text, bytes, parent, err)
	}
	if err := db.QueryRow("SELECT parent FROM orders").Scan(&text); err == nil {
		t.Error("NULL was taken for", text)
	}
}

func bench[T any](b *testing.B, next func() (T, error)) {
	b.Helper()
	for i := 0; i < b.N; i++ {
		if _, err := next(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPlainV7(b *testing.B) { bench(b, (&Generator{From: Plain}).NewV7) }

// The device itself, and the runtime's own read of another one.
func BenchmarkDeviceV7(b *testing.B) { benchDevice(b, (&Generator{From: Device}).NewV7) }
func BenchmarkDeviceV6(b *testing.B) { benchDevice(b, (&Generator{From: Device}).NewV6) }

func benchDevice(b *testing.B, next func() (UUID, error)) {
	if _, err := os.Stat(path); err != nil {
		b.Skip(err)
	}
	bench(b, next)
}

func benchRead(b *testing.B, path string) {
	file, err := os.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	bench(b, func() (id UUID, err error) {
		_, err = io.ReadFull(file, id[:])
		return id, err
	})
}

func BenchmarkReadOfUrandom(b *testing.B) { benchRead(b, "/dev/urandom") }
func BenchmarkReadOfZero(b *testing.B)    { benchRead(b, "/dev/zero") }
func BenchmarkGoogleV4(b *testing.B)      { bench(b, google.NewRandom) }
func BenchmarkGofrsV6(b *testing.B)       { bench(b, gofrs.NewV6) }
func BenchmarkGofrsV7(b *testing.B)       { bench(b, gofrs.NewV7) }
