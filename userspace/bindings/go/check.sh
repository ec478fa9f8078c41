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

# with_go VARIABLE=VALUE... COMMAND...
with_go()
{
	env "$@" >"$out" 2>&1
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
	export GO111MODULE=on
	go mod init first && go mod edit -require="$PUBLISHED@v$VERSION" -replace="$PUBLISHED=$(echo "$work"/kuid-*)" "$OFFLINE" &&
		go mod tidy && go build && ./first >"$out" 2>"$err" &&
		grep -E '^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12} 100 0' "$out"
}

echo "KTAP version 1"
it "gofmt finds nothing" says_nothing gofmt -l .
for system in "linux 386" "linux s390x" "darwin arm64" "windows amd64"; do
	# shellcheck disable=SC2086 # two words
	set -- $system
	it "go vet finds nothing for $system" says_nothing env GOOS="$1" GOARCH="$2" go vet "$MODULE"
done
it "go vet finds nothing in the program and beside a database" says_nothing go vet -tags stock "$MODULE" "$MODULE/ids"
it "staticcheck finds nothing" says_nothing "$O/staticcheck" "$MODULE" "$MODULE/ids"
it "the tests pass" with_go go test -count=1 -tags stock "$MODULE"
it "the tests pass in 32 bits" with_go GOARCH=386 go test -count=1 "$MODULE"
it "the tests pass with the race detector" with_go go test -count=1 -race "$MODULE"
it "a program can be built with the package" is_built
finish
