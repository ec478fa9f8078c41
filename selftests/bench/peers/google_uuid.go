// SPDX-License-Identifier: GPL-2.0-only
//
// Nanoseconds of a UUID of google/uuid: "ROW<tab>NS".
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

func main() {
	measure("Go, google/uuid 1.3, v1", uuid.NewUUID)
	measure("Go, google/uuid 1.3, v4", uuid.NewRandom)
}
