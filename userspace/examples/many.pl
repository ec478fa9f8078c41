#!/usr/bin/perl
# SPDX-License-Identifier: MIT
#
# Reads a batch of IDs from kuid and prints them:   many.pl [DEVICE]
# sysread() reads what it is asked for. read() and <> read hundreds of IDs into a
# buffer; those not asked for are lost, or, after fork(), returned in both
# processes.

use strict;
use warnings;

my $count = 5;
my $size  = 16;
my $path  = shift // '/dev/kuids/v7';

open my $device, '<:raw', $path or die "many.pl: $path: $!\n";
my $got = sysread $device, my $batch, $count * $size;
defined $got or die "many.pl: $path: $!\n";

# A signal may end a read early, though never within an ID.
$got == $count * $size
    or die "many.pl: $path gave $got of ", $count * $size, " bytes\n";

for my $id (unpack "(a$size)*", $batch) {
    print join('-', unpack 'H8 H4 H4 H4 H12', $id), "\n";
}
