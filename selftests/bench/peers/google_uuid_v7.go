// SPDX-License-Identifier: GPL-2.0-only
//
// Prints a v7 of google/uuid for each line of the standard input, or with "ns" the nanoseconds of one.
package main

import (
	"bufio"
	"fmt"
	"os"

	"github.com/google/uuid"
)

func main() {
	if len(os.Args) == 2 && os.Args[1] == "ns" {
		measure("Go, google/uuid 1.6, v7", uuid.NewV7)
		return
	}
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		fmt.Println(uuid.Must(uuid.NewV7()))
	}
}
