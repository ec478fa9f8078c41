// SPDX-License-Identifier: MIT

// Ids prints IDs, one a line, in canonical text or as numbers:
//
//	ids [-from SOURCE] [-host] [-turns] [-check] [-close] [-workers N]
//	    [-threads N] [FORMAT [COUNT]]
//
// -turns prints one, or its error, for each line of the standard input. -check
// decodes each UUID by other packages, if built with the tag stock. -close puts
// another file in place of the device before each. After one ID
// that is not printed, -workers begins processes which print COUNT each, and
// -threads begins goroutines. The source is printed to the standard error in the
// end.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"

	"kuid"
)

// decode reads a UUID by other packages. It is nil without them.
var decode func(kuid.UUID) error

var (
	host    = flag.Bool("host", false, "order over all programs of the host that ask for it")
	turns   = flag.Bool("turns", false, "one ID for each line of standard input")
	check   = flag.Bool("check", false, "decode UUIDs by other packages")
	lose    = flag.Bool("close", false, "before each ID, put another file in place of the device")
	workers = flag.Int("workers", 0, "number of processes")
	threads = flag.Int("threads", 0, "number of goroutines")
)

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func next(g *kuid.Generator, format kuid.Format) (text string, err error) {
	var id kuid.UUID
	if *lose {
		loseDevice()
	}
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
	if err == nil && *check {
		err = decode(id)
	}
	return id.String(), err
}

// lines prints IDs at once, so that those of several goroutines don't mix.
func lines(g *kuid.Generator, format kuid.Format, count int) {
	var text strings.Builder
	for i := 0; i < count; i++ {
		id, err := next(g, format)
		if err != nil {
			fail(err)
		}
		text.WriteString(id + "\n")
	}
	if _, err := os.Stdout.WriteString(text.String()); err != nil {
		fail(err)
	}
}

// work begins processes that do what this one was asked for.
func work() {
	arguments := append([]string{}, os.Args[1:len(os.Args)-flag.NArg()]...)
	arguments = append(append(arguments, "-workers=0"), flag.Args()...)
	var children []*exec.Cmd
	for i := 0; i < *workers; i++ {
		child := exec.Command(os.Args[0], arguments...)
		child.Stdout, child.Stderr = os.Stdout, os.Stderr
		if err := child.Start(); err != nil {
			fail(err)
		}
		children = append(children, child)
	}
	for _, child := range children {
		if err := child.Wait(); err != nil {
			fail(err)
		}
	}
}

func takeTurns(g *kuid.Generator, format kuid.Format) {
	for input := bufio.NewScanner(os.Stdin); input.Scan(); {
		text, err := next(g, format)
		if err != nil {
			text = "error: " + err.Error()
		}
		fmt.Println(text)
	}
}

func main() {
	from := flag.String("from", "auto", "where IDs are made: auto, device, local or private")
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
	if g.From < 0 || format == 0 || err != nil || *check && decode == nil {
		flag.Usage()
		os.Exit(2)
	}

	var group sync.WaitGroup
	switch {
	case *turns:
		takeTurns(g, format)
	case *workers > 0:
		if _, err := next(g, format); err != nil {
			fail(err)
		}
		work()
	case *threads > 0:
		if _, err := next(g, format); err != nil {
			fail(err)
		}
		for i := 0; i < *threads; i++ {
			group.Add(1)
			go func() {
				defer group.Done()
				lines(g, format, count)
			}()
		}
		group.Wait()
	default:
		lines(g, format, count)
	}
	fmt.Fprintln(os.Stderr, "source:", g.Source())
}
