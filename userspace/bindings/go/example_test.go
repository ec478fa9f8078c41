// SPDX-License-Identifier: MIT

package kuid_test

import (
	"fmt"
	"time"

	"github.com/google/uuid"

	"kuid.example/userspace/bindings/go"
)

func ExampleNewV7() {
	id, err := kuid.NewV7()
	fmt.Println(id.Version(), err)
	// Output: VERSION_7 <nil>
}

func ExampleLowest() {
	from, _ := kuid.Lowest(kuid.V7, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	at, _ := kuid.Time(kuid.V7, from)
	fmt.Println(uuid.UUID(*(*[16]byte)(from)), at.UTC())
	// Output: 019b76da-a800-7000-8000-000000000000 2026-01-01 00:00:00 +0000 UTC
}
