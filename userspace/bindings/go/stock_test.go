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

func run[T any](b *testing.B, name string, next func() (T, error)) {
	b.Run(name, func(b *testing.B) {
		for i := 0; i < b.N; i++ {
			if _, err := next(); err != nil {
				b.Skip(err)
			}
		}
	})
}

func Benchmark(b *testing.B) {
	run(b, "plain v7", (&Generator{From: Plain}).NewV7)
	run(b, "google v4", uuid.NewRandom)
	run(b, "device v7", (&Generator{From: Device}).NewV7)
	run(b, "device v6", (&Generator{From: Device}).NewV6)
	id := make([]byte, 16)
	for _, path := range []string{"/dev/urandom", "/dev/zero"} {
		file, err := os.Open(path)
		if err != nil {
			b.Fatal(err)
		}
		defer file.Close()
		run(b, "read "+path, func() (int, error) { return io.ReadFull(file, id) })
	}
}
