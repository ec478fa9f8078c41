// SPDX-License-Identifier: MIT

//go:build stock

package kuid

// Benchmarks beside the generators of two other packages, whose types ours
// converts to. They need these packages, so they are built on request.

import (
	"crypto/rand"
	"io"
	"os"
	"testing"

	gofrs "github.com/gofrs/uuid"
	google "github.com/google/uuid"
)

func TestConvertsToOthers(t *testing.T) {
	id, err := (&Generator{From: Local}).NewV7()
	if err != nil {
		t.Fatal(err)
	}
	if google.UUID(id).String() != id.String() || gofrs.UUID(id).String() != id.String() {
		t.Errorf("%v is %v and %v", id, google.UUID(id), gofrs.UUID(id))
	}
	if parsed, err := google.Parse(id.String()); err != nil || UUID(parsed) != id {
		t.Errorf("%v is %v: %v", id, parsed, err)
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

func BenchmarkLocalV7(b *testing.B) { bench(b, (&Generator{From: Local}).NewV7) }
func BenchmarkLocalV6(b *testing.B) { bench(b, (&Generator{From: Local}).NewV6) }
func BenchmarkLocalV1(b *testing.B) { bench(b, (&Generator{From: Local}).NewV1) }

func BenchmarkLocalV7Batch256(b *testing.B) {
	g := &Generator{From: Local}
	for i := 0; i < b.N; i += 256 {
		if _, err := g.Batch(V7, 256); err != nil {
			b.Fatal(err)
		}
	}
}

// Reads of another device in place of kuid's, which cost as much or more.
func benchFile(b *testing.B, path string) {
	with(func(string, Format) (io.ReadCloser, error) { return os.Open(path) }, func() {
		bench(b, (&Generator{From: Device}).NewV7)
	})
}

func BenchmarkDeviceAsUrandom(b *testing.B) { benchFile(b, "/dev/urandom") }
func BenchmarkDeviceAsZero(b *testing.B)    { benchFile(b, "/dev/zero") }

// The device itself, and the runtime's own read of another one.
func BenchmarkDeviceV7(b *testing.B) { benchDevice(b, (&Generator{From: Device}).NewV7) }
func BenchmarkDeviceV6(b *testing.B) { benchDevice(b, (&Generator{From: Device}).NewV6) }

func benchDevice(b *testing.B, next func() (UUID, error)) {
	if _, err := os.Stat(devices); err != nil {
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

func BenchmarkCryptoRand(b *testing.B) {
	bench(b, func() (id UUID, err error) {
		_, err = rand.Read(id[:])
		return id, err
	})
}

func BenchmarkGoogleV1(b *testing.B) { bench(b, google.NewUUID) }
func BenchmarkGoogleV4(b *testing.B) { bench(b, google.NewRandom) }
func BenchmarkGofrsV1(b *testing.B)  { bench(b, gofrs.NewV1) }
func BenchmarkGofrsV4(b *testing.B)  { bench(b, gofrs.NewV4) }
func BenchmarkGofrsV6(b *testing.B)  { bench(b, gofrs.NewV6) }
func BenchmarkGofrsV7(b *testing.B)  { bench(b, gofrs.NewV7) }
