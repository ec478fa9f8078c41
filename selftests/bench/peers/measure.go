// SPDX-License-Identifier: GPL-2.0-only
package main

import (
	"fmt"
	"sort"
	"time"

	"github.com/google/uuid"
)

const (
	rounds = 401
	calls  = 100
)

// measure prints the nanoseconds of a UUID of google/uuid: "ROW<tab>NS".
func measure(row string, generate func() (uuid.UUID, error)) {
	var ns []float64

	for range make([]struct{}, rounds) {
		start := time.Now()
		for i := 0; i < calls; i++ {
			if _, err := generate(); err != nil {
				panic(err)
			}
		}
		ns = append(ns, float64(time.Since(start).Nanoseconds())/calls)
	}
	sort.Float64s(ns)
	fmt.Printf("%s\t%.2f\n", row, ns[rounds/2])
}
