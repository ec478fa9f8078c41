#!/usr/bin/perl
# SPDX-License-Identifier: MIT
#
# Reads a batch of IDs from kuid, and one more as text, and prints them:
#
#   many.pl [--fallback] [DEVICE]
#
# If there is no device, it fails, or with --fallback makes the IDs itself.
#
# sysread() reads what it is asked for. read() and <> read hundreds of IDs into a
# buffer; those not asked for are lost, or, after fork(), returned in both
# processes.

use strict;
use warnings;
use Time::HiRes;

my $count    = 5;
my $size     = 16;
my $line     = 37;
my $fallback = @ARGV && $ARGV[0] eq '--fallback' && shift;
my $path     = shift // '/dev/kuids/v7';

sub bytes {
    my ($path, $size) = @_;

    open(my $device, '<:raw', $path) or die "many.pl: $path: $!\n";
    my $got = sysread($device, my $data, $size);
    defined $got or die "many.pl: $path: $!\n";

    # A signal may end a read early.
    $got == $size or die "many.pl: $path gave $got of $size bytes\n";
    return $data;
}

sub text {
    return join '-', unpack 'H8 H4 H4 H4 H12', shift;
}

# A UUID version 7: a random one that begins with the time in milliseconds.
sub without_kuid {
    my $random = bytes('/proc/sys/kernel/random/uuid', 36);
    my $time   = sprintf '%012x', Time::HiRes::time() * 1000;

    return substr($time, 0, 8) . '-' . substr($time, 8) . '-7' . substr $random, 15;
}

if (-e $path) {
    print text($_), "\n" for unpack "(a$size)*", bytes($path, $count * $size);
    print bytes("$path.txt", $line);
} elsif ($fallback) {
    print without_kuid(), "\n" for 1 .. $count;
} else {
    die "many.pl: no $path: load the module kuid, or use --fallback\n";
}
