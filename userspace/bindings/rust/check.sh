#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Checks the crate, for "make check" beside it. Prints KTAP.

# shellcheck source=SCRIPTDIR/../../tests/tap.sh
. ../../tests/tap.sh
# shellcheck source=SCRIPTDIR/../with_device.sh
. ../with_device.sh
ids=$IDS

quietly()
{
	"$@" >"$out" 2>&1
}

# A row with a key as the README has it, without a server.
is_bound()
{
	mkdir -p "$work/first/src" && cd "$work/first" || return
	cat >Cargo.toml <<-END
	[package]
	name = "first"
	version = "0.1.0"
	edition = "2021"
	[dependencies]
	kuid = { path = "$TREE" }
	diesel = { version = "2", default-features = false, features = ["postgres_backend", "uuid"] }
	END
	cat >src/main.rs <<-END
	use diesel::prelude::*;
	diesel::table! { orders (id) { id -> Uuid, } }
	fn main() -> Result<(), kuid::Error> {
	    let insert = diesel::insert_into(orders::table).values(orders::id.eq(kuid::v7()?));
	    println!("{}", diesel::debug_query::<diesel::pg::Pg, _>(&insert));
	    Ok(())
	}
	END
	cargo run --quiet >"$out" 2>"$err" && grep -E 'binds: .[0-9a-f]{8}-[0-9a-f]{4}-7' "$out"
}

cd "$TREE" || exit
echo "KTAP version 1"
it "clippy finds nothing" quietly cargo clippy --quiet --all-targets -- -D warnings
it "the tests pass" quietly cargo test --quiet
# Where there is no 64-bit Linux, as far as it can be simulated here.
it "the crate is built without libkuid" quietly env RUSTFLAGS="--cfg kuid_plain" CARGO_TARGET_DIR="$CARGO_TARGET_DIR/plain" \
	cargo test --quiet --test plain
it "the documentation has no broken link" quietly env RUSTDOCFLAGS="-D warnings" cargo doc --quiet --no-deps
check_local -workers -threads
check_device
if [ -d "$(find "$REGISTRY" -maxdepth 1 -name 'diesel-2*')" ]; then
	it "diesel takes a UUID as a key" is_bound
else
	skip "diesel takes a UUID as a key" "Debian 12 has no crate diesel"
fi
finish
