// SPDX-License-Identifier: GPL-2.0-only
//
// Nanoseconds of UUIDs of the google/uuid that Debian 12 has.
package main

import "github.com/google/uuid"

func main() {
	measure("Go, google/uuid 1.3, v1", uuid.NewUUID)
	measure("Go, google/uuid 1.3, v4", uuid.NewRandom)
}
