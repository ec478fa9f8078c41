// SPDX-License-Identifier: GPL-2.0-only
//
// Prints a v7 of google/uuid for each line of the standard input.
package main

import (
	"bufio"
	"fmt"
	"os"

	"github.com/google/uuid"
)

func main() {
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		fmt.Println(uuid.Must(uuid.NewV7()))
	}
}
