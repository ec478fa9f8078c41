// SPDX-License-Identifier: MIT

// Ids prints IDs, one a line, in canonical text or as numbers:
//
//	ids [-from auto|device|local|private] [-host] [-turns] [FORMAT [COUNT]]
//
// With -turns it prints one for each line of its standard input, so that
// programs can take turns. In the end it prints where they came from.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"strconv"

	"kuid"
)

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func next(g *kuid.Generator, format kuid.Format) (text string, err error) {
	var id fmt.Stringer
	switch format {
	case kuid.V1:
		id, err = g.NewV1()
	case kuid.V6:
		id, err = g.NewV6()
	case kuid.V7:
		id, err = g.NewV7()
	case kuid.K64:
		number, err := g.NewK64()
		return kuid.K64Text(number), err
	case kuid.Snowflake:
		number, err := g.NewSnowflake()
		return strconv.FormatInt(number, 10), err
	default:
		bytes, err := g.Bytes(format, 1)
		return fmt.Sprintf("%x", bytes), err
	}
	return id.String(), err
}

func main() {
	from := flag.String("from", "auto", "where IDs are made: auto, device, local or private")
	host := flag.Bool("host", false, "order over all programs of the host that ask for it")
	turns := flag.Bool("turns", false, "one ID for each line of standard input")
	flag.Parse()

	g := &kuid.Generator{Host: *host, From: -1}
	for source := kuid.Auto; source <= kuid.Private; source++ {
		if source.String() == *from {
			g.From = source
		}
	}
	format := kuid.V7
	if flag.NArg() > 0 {
		format = 0
		for f := kuid.V1; f <= kuid.Snowflake; f++ {
			if f.String() == flag.Arg(0) {
				format = f
			}
		}
	}
	count := 1
	var err error
	if flag.NArg() > 1 {
		count, err = strconv.Atoi(flag.Arg(1))
	}
	if g.From < 0 || format == 0 || err != nil {
		flag.Usage()
		os.Exit(2)
	}

	input := bufio.NewScanner(os.Stdin)
	for i := 0; *turns || i < count; i++ {
		if *turns && !input.Scan() {
			break
		}
		text, err := next(g, format)
		if err != nil {
			fail(err)
		}
		// Not buffered: the next program waits for the line.
		if _, err := fmt.Println(text); err != nil {
			fail(err)
		}
	}
	fmt.Fprintln(os.Stderr, "source:", g.Source())
}
