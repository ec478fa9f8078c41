#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Checks the Go module, for "make check" beside it. Prints KTAP.

# shellcheck source=SCRIPTDIR/../../tests/tap.sh
. ../../tests/tap.sh

says_nothing()
{
	"$@" >"$out" 2>&1 && [ ! -s "$out" ]
}

# run_tests ARGUMENT...: those of the package.
run_tests()
{
	go test -count=1 "$@" >"$out" 2>&1
}

# In GOPATH mode, which finds Debian's packages.
with_stock()
{
	# shellcheck disable=SC2086 # several words
	(cd "$O/gopath/src/$MODULE" && env $STOCK go "$@" "$MODULE" "$MODULE/ids") >"$out" 2>&1
}

# shellcheck disable=SC2016 # of sed
is_built()
{
	mkdir "$work/first" && tar -xzf "$PACKAGE" -C "$work" && cd "$work/first" &&
		sed -n '/^```go$/,/^```$/{/^```/!p}' "$work"/kuid-*/README.md >"$work/lines" &&
		[ -s "$work/lines" ] || return
	{
		printf 'package main\nimport ("fmt"; "%s")\nfunc main() {\n' "$PUBLISHED"
		cat "$work/lines"
		printf 'fmt.Println(id, len(ids), next, err)\n}\n'
	} >main.go
	go mod init first && go mod edit -require="$PUBLISHED@v$VERSION" -replace="$PUBLISHED=$(echo "$work"/kuid-*)" &&
		go build && ./first >"$out" 2>"$err" &&
		grep -E '^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12} 100 0' "$out"
}

# 8 goroutines, whose IDs other packages decode.
are_decoded()
{
	"$O/go-ids" -from plain -check -threads 8 "$1" 5000 >"$out" 2>"$err" &&
		[ "$(sort -u "$out" | wc -l)" = 40000 ] && grep -x 'source: plain' "$err"
}

are_of_processes()
{
	"$O/go-ids" -from plain -workers 3 v7 5000 >"$out" 2>"$err" &&
		[ "$(sort -u "$out" | wc -l)" = 15000 ]
}

echo "KTAP version 1"
it "gofmt finds nothing" says_nothing gofmt -l .
it "go vet finds nothing" says_nothing go vet ./...
for system in "linux 386" "linux s390x" "darwin arm64" "windows amd64"; do
	# shellcheck disable=SC2086 # two words
	set -- $system
	it "go vet finds nothing for $system" says_nothing env GOOS="$1" GOARCH="$2" go vet ./...
done
it "staticcheck finds nothing" says_nothing "$O/staticcheck" ./...
it "the tests pass" run_tests .
it "the tests pass in 32 bits" env GOARCH=386 go test -count=1 .
it "the tests pass with the race detector" run_tests -race .
it "go vet finds nothing beside other packages" with_stock vet -tags stock
it "other packages and a database take UUIDs" with_stock test -count=1 -tags stock -run 'Converts|Database'
it "other packages decode v7" are_decoded v7
it "processes make different IDs" are_of_processes
it "a program can be built with the package" is_built
finish
