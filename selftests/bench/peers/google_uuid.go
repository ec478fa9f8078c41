// SPDX-License-Identifier: GPL-2.0-only
//
// Prints a v7 of google/uuid for each line of the standard input, or with "ns" the nanoseconds of one:
// "ROW<tab>NS".
package main

import (
	"bufio"
	"fmt"
	"os"
	"sort"
	"time"

	"github.com/google/uuid"
)

const (
	rounds = 401
	calls  = 100
)

func measure() {
	var ns []float64

	for range make([]struct{}, rounds) {
		start := time.Now()
		for i := 0; i < calls; i++ {
			uuid.Must(uuid.NewV7())
		}
		ns = append(ns, float64(time.Since(start).Nanoseconds())/calls)
	}
	sort.Float64s(ns)
	fmt.Printf("Go, google/uuid 1.6, v7\t%.2f\n", ns[rounds/2])
}

func main() {
	if len(os.Args) == 2 && os.Args[1] == "ns" {
		measure()
		return
	}
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		fmt.Println(uuid.Must(uuid.NewV7()))
	}
}
