// SPDX-License-Identifier: MIT

//go:build linux

// Ids prints IDs, one a line, in canonical text:
//
//	ids [-from SOURCE] [-host] [-turns] [-threads N] [FORMAT [COUNT]]
//
// -turns prints one, or its error, for each line of the standard input. -threads begins
// goroutines, which print COUNT each after one ID that is not printed. Each ID is read by
// its text and its time. The source is printed to the standard error in the end.
package main

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"kuid.example/userspace/bindings/go"
)

var (
	from    = flag.String("from", "auto", "where IDs are made: auto, device or plain")
	host    = flag.Bool("host", false, "order over all programs of the host that ask for it")
	turns   = flag.Bool("turns", false, "one ID for each line of standard input")
	threads = flag.Int("threads", 0, "number of goroutines")
)

func next(g *kuid.Generator, format kuid.Format) (string, error) {
	id := make([]byte, format.Size())
	if err := g.Fill(context.Background(), format, id); err != nil {
		return "", err
	}
	text, err := kuid.Text(format, id)
	again, errParse := kuid.ParseID(format, text)
	at, errTime := kuid.Time(format, id)
	if age := time.Since(at).Abs(); !bytes.Equal(again, id) || age > 10*time.Second {
		log.Fatalf("%s is %x of %v: %v, %v", text, again, at, errParse, errTime)
	}
	return text, err
}

// lines prints IDs at once, so that those of several goroutines don't mix.
func lines(g *kuid.Generator, format kuid.Format, count int) {
	var text strings.Builder
	for i := 0; i < count; i++ {
		id, err := next(g, format)
		if err != nil {
			log.Fatal(err)
		}
		text.WriteString(id + "\n")
	}
	if _, err := os.Stdout.WriteString(text.String()); err != nil {
		log.Fatal(err)
	}
}

func main() {
	log.SetFlags(0)
	flag.Parse()
	g := &kuid.Generator{HostOrder: *host, From: kuid.Plain + 1}
	for source := kuid.Auto; source <= kuid.Plain; source++ {
		if source.String() == *from {
			g.From = source
		}
	}
	format, count, err := kuid.V7, 1, error(nil)
	if flag.NArg() > 0 {
		for format = kuid.V1; format.Size() > 0 && format.String() != flag.Arg(0); format++ {
		}
	}
	if flag.NArg() > 1 {
		count, err = strconv.Atoi(flag.Arg(1))
	}
	if g.From > kuid.Plain || format.Size() == 0 || err != nil || flag.NArg() > 2 {
		flag.Usage()
		os.Exit(2)
	}
	var group sync.WaitGroup
	if *turns {
		for input := bufio.NewScanner(os.Stdin); input.Scan(); {
			text, err := next(g, format)
			if err != nil {
				text = "error: " + err.Error()
			}
			fmt.Println(text)
		}
	} else if *threads == 0 {
		lines(g, format, count)
	} else if _, err := next(g, format); err != nil {
		log.Fatal(err)
	}
	for i := 0; i < *threads; i++ {
		group.Add(1)
		go func() {
			defer group.Done()
			lines(g, format, count)
		}()
	}
	group.Wait()
	log.Println("source:", g.Source())
}
