// SPDX-License-Identifier: MIT

package kuid_test

import (
	"fmt"
	"time"

	"kuid.example/userspace/bindings/go"
)

func ExampleNewV7() {
	id, err := kuid.NewV7()
	fmt.Println(id.Version(), err)
	// Output: 7 <nil>
}

func ExampleParse() {
	id, err := kuid.Parse("017f22e2-79b0-7cc3-98c4-dc0c0c07398f")
	fmt.Println(id.Version(), id.Time().UTC().Format(time.RFC3339), err)
	// Output: 7 2022-02-22T19:22:22Z <nil>
}

func ExampleLowest() {
	from, err := kuid.Lowest(kuid.V7, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	fmt.Println(kuid.UUID(*(*[16]byte)(from)), err)
	// Output: 019b76da-a800-7000-8000-000000000000 <nil>
}
