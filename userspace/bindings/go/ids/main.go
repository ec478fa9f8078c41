// SPDX-License-Identifier: MIT

//go:build linux

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
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"kuid.example/userspace/bindings/go"
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

func next(g *kuid.Generator, format kuid.Format) (string, error) {
	if *lose {
		loseDevice()
	}
	id := make([]byte, format.Size())
	if err := g.Fill(context.Background(), format, id); err != nil {
		return "", err
	}
	if *check {
		if err := decode(kuid.UUID(*(*[16]byte)(id))); err != nil {
			return "", err
		}
	}
	return kuid.Text(format, id)
}

// loseDevice puts /dev/zero in place of all files of kuid, as a program does that
// closes all files and opens others.
func loseDevice() {
	zero, err := os.Open("/dev/zero")
	if err != nil {
		fail(err)
	}
	defer zero.Close()
	const files = "/proc/self/fd/"
	names, err := os.ReadDir(files)
	if err != nil {
		fail(err)
	}
	for _, name := range names {
		fd, _ := strconv.Atoi(name.Name())
		if target, _ := os.Readlink(files + name.Name()); strings.HasPrefix(target, "/dev/kuid") {
			if err := syscall.Dup3(int(zero.Fd()), fd, 0); err != nil {
				fail(err)
			}
		}
	}
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
	from := flag.String("from", "auto", "where IDs are made: auto, device or plain")
	flag.Parse()

	g := &kuid.Generator{HostOrder: *host, From: -1}
	for source := kuid.Auto; source <= kuid.Plain; source++ {
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
