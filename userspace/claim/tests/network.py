#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The network between members of etcd, or servers of PostgreSQL and Kubernetes, and their clients, on loopback.

network.py DIR peer|client|tls:PORT:MEMBER:TO...

Forwards connections to PORT to the port TO of a member. "tls" is for clients whose connections are encrypted,
with DIR/server.pem, server.key and ca.pem. These files are read again and again:

cut-MEMBER     while it exists, there are no connections between that member and others, nor of "tls" clients
lose-MEMBER    while it exists, a client's transaction gets to the member, but its answer does not get back
hold-MEMBER    while it exists, a client's transaction waits; it gets to the member even if the client has gone
date-MEMBER    the date that answers of the member have
status-MEMBER  the first line of the member's answers to transactions
pid-MEMBER     the process ID of the member, which tells its connections from those of others
"""
import asyncio
import os
import re
import ssl
import sys

directory = sys.argv[1]
connections = []
reads = (b"GET ", b"POST ", b"SELECT ")
writes = (b"/v3/kv/txn", b"UPDATE kuid_claim", b"INSERT INTO kuid_claim", b"POST /apis/", b"PUT /apis/")


def there(name):
    return os.path.exists(os.path.join(directory, name))


def line(name):
    with open(os.path.join(directory, name), "rb") as file:
        return file.read().strip()


def inode_of(client, server):
    """The inode of the socket with these ports, as the kernel lists it."""
    with open("/proc/net/tcp") as table:
        for row in table:
            field = row.split()
            ports = [end.split(":")[-1] for end in field[1:3]]
            if ports == ["%04X" % client, "%04X" % server]:
                return field[9]
    return None


def owner(writer, members):
    """The member whose process has connected, or None."""
    client = writer.get_extra_info("peername")[1]
    server = writer.get_extra_info("sockname")[1]
    wanted = "socket:[%s]" % inode_of(client, server)
    for member in members:
        try:
            with open(os.path.join(directory, "pid-" + member)) as file:
                folder = "/proc/%s/fd" % file.read().strip()
            for fd in os.listdir(folder):
                if os.readlink(os.path.join(folder, fd)) == wanted:
                    return member
        except OSError:
            pass
    return None


async def copy(reader, writer):
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    except OSError:
        pass
    writer.close()


async def copy_requests(reader, writer, asked, member):
    held = False
    try:
        while data := await reader.read(65536):
            if any(text in data for text in reads + writes):
                asked["write"] = any(text in data for text in writes)
            while asked["write"] and there("hold-" + member):
                held = True
                await asyncio.sleep(0.05)
            writer.write(data)
            await writer.drain()
    except OSError:
        pass
    # The member drops a request whose connection is closed at once.
    if held:
        await asyncio.sleep(1)
    writer.close()


async def copy_answers(reader, writer, asked, member):
    try:
        while data := await reader.read(65536):
            if asked["write"] and there("lose-" + member):
                break
            if there("date-" + member):
                data = re.sub(b"Date: [^\r]*", b"Date: " + line("date-" + member), data)
            if asked["write"] and there("status-" + member):
                data = re.sub(b"^HTTP[^\r]*", line("status-" + member), data)
            writer.write(data)
            await writer.drain()
    except OSError:
        pass
    writer.close()


async def forward(kind, member, port, members, reader, writer):
    ends = {member}
    if kind == "peer":
        ends.add(owner(writer, members))
    if kind != "client" and any(end and there("cut-" + end) for end in ends):
        writer.close()
        return
    try:
        back, to = await asyncio.open_connection("127.0.0.1", port, ssl=contexts(kind)[1])
    except OSError:
        writer.close()
        return
    asked = {"write": False}
    if kind != "client":
        connections.append((ends, writer, to))
    if kind == "peer":
        await asyncio.gather(copy(reader, to), copy(back, writer))
    else:
        await asyncio.gather(
            copy_requests(reader, to, asked, member), copy_answers(back, writer, asked, member)
        )


def contexts(kind):
    """What a row is a server and a client with."""
    if kind != "tls":
        return None, None
    server = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    server.load_cert_chain(os.path.join(directory, "server.pem"), os.path.join(directory, "server.key"))
    return server, ssl.create_default_context(cafile=os.path.join(directory, "ca.pem"))


async def cut():
    while True:
        await asyncio.sleep(0.05)
        for ends, *writers in connections:
            if any(end and there("cut-" + end) for end in ends):
                for writer in writers:
                    writer.close()
        connections[:] = [one for one in connections if not one[1].is_closing()]


async def main():
    rows = [row.split(":") for row in sys.argv[2:]]
    members = {row[2] for row in rows}
    for kind, port, member, to in rows:
        await asyncio.start_server(
            lambda reader, writer, kind=kind, member=member, to=to: forward(
                kind, member, int(to), members, reader, writer
            ),
            "127.0.0.1",
            int(port),
            ssl=contexts(kind)[0],
        )
    open(os.path.join(directory, "network"), "w").close()
    await cut()


asyncio.run(main())
