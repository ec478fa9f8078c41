// SPDX-License-Identifier: MIT

//go:build stock && linux

package kuid

// A database by cgo, and benchmarks beside others, which are built on request.

import (
	"database/sql"
	"io"
	"os"
	"testing"

	"github.com/google/uuid"
	_ "github.com/mattn/go-sqlite3"
)

// As database/sql, and all that stands on it, writes and reads a column.
func TestDatabase(t *testing.T) {
	db, err := sql.Open("sqlite3", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	id := uuid.Must((&Generator{From: Plain}).NewV7())
	var text, bytes uuid.UUID
	row := db.QueryRow("SELECT ?, ?", id, id[:])
	if err := row.Scan(&text, &bytes); err != nil || text != id || bytes != id {
		t.Error(text, bytes, err)
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

func BenchmarkPlainV7(b *testing.B)  { bench(b, (&Generator{From: Plain}).NewV7) }
func BenchmarkGoogleV4(b *testing.B) { bench(b, uuid.NewRandom) }

func BenchmarkDeviceV7(b *testing.B) { benchDevice(b, (&Generator{From: Device}).NewV7) }
func BenchmarkDeviceV6(b *testing.B) { benchDevice(b, (&Generator{From: Device}).NewV6) }

func benchDevice(b *testing.B, next func() (uuid.UUID, error)) {
	if _, err := os.Stat(path); err != nil {
		b.Skip(err)
	}
	bench(b, next)
}

func BenchmarkReadOfUrandom(b *testing.B) { benchRead(b, "/dev/urandom") }
func BenchmarkReadOfZero(b *testing.B)    { benchRead(b, "/dev/zero") }

func benchRead(b *testing.B, path string) {
	file, err := os.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	id := make([]byte, 16)
	bench(b, func() (int, error) { return io.ReadFull(file, id) })
}
