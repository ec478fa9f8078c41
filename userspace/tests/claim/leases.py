#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""An API server of Kubernetes that has Leases and nothing else, on loopback with TLS.

leases.py DIR PORT LOSSY CERTIFICATE KEY TOKEN

Ends when DIR is gone.
Answers as kube-apiserver does where kuid-claim asks: POST is 201, or 409 if the Lease exists. PUT is 200;
409 if resourceVersion or uid are others. If there is no Lease, a PUT is 409 with a uid; without one it
makes the Lease, 201, or is 422 if it has no resourceVersion. DELETE of a
Lease with finalizers only marks it. Lists are in the order of names, in pages.

The same is at the port LOSSY, but: while DIR/lose-leases exists, writes are done but not answered. While DIR/answer-leases exists, requests are answered with the
status in it; writes are done before, unless the status is 429. While DIR/hold-leases exists, writes wait,
and are done also if the client has gone.
"""
import json
import os
import ssl
import sys
import threading
import time
import urllib.parse
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

directory, port, lossy, certificate, key, token = sys.argv[1:]
PATH = "/apis/coordination.k8s.io/v1/namespaces/ids/leases"
leases = {}
lock = threading.Lock()
revision = 100


def status(code, reason, name="", message=""):
    return code, {
        "kind": "Status",
        "apiVersion": "v1",
        "status": "Failure",
        "message": message or "%s: %s" % (reason, name),
        "reason": reason,
        "details": {"name": name, "kind": "leases"},
        "code": code,
    }


def stored(lease):
    global revision
    revision += 1
    lease["metadata"]["resourceVersion"] = str(revision)
    leases[lease["metadata"]["name"]] = lease
    return lease


def create(lease):
    name = lease["metadata"]["name"]
    if name in leases:
        return status(409, "AlreadyExists", name)
    if "resourceVersion" in lease["metadata"]:
        return status(400, "BadRequest", name, "resourceVersion should not be set on objects to be created")
    lease["metadata"]["uid"] = str(uuid.uuid4())
    return 201, stored(lease)


def update(name, lease):
    metadata = lease["metadata"]
    if name not in leases and "uid" in metadata:
        return status(409, "Conflict", name)
    if name not in leases and "resourceVersion" in metadata:
        metadata["uid"] = str(uuid.uuid4())
        return 201, stored(lease)
    if name not in leases:
        return status(422, "Invalid", name)
    now = leases[name]["metadata"]
    if metadata.get("uid", now["uid"]) != now["uid"]:
        return status(409, "Conflict", name)
    if metadata.get("resourceVersion") != now["resourceVersion"]:
        return status(409, "Conflict", name)
    if "deletionTimestamp" in now:
        metadata["deletionTimestamp"] = now["deletionTimestamp"]
    metadata["uid"] = now["uid"]
    return 200, stored(lease)


def delete(name):
    if name not in leases:
        return status(404, "NotFound", name)
    if leases[name]["metadata"].get("finalizers"):
        leases[name]["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
        return 200, stored(leases[name])
    return 200, leases.pop(name)


def page(query):
    label, space = query["labelSelector"][0].split("=")
    after = query.get("continue", [""])[0]
    names = sorted(
        name
        for name, lease in leases.items()
        if lease["metadata"].get("labels", {}).get(label) == space and name > after
    )
    limit = int(query["limit"][0])
    metadata = {"resourceVersion": str(revision)}
    if len(names) > limit:
        metadata["continue"] = names[limit - 1]
    items = [leases[name] for name in names[:limit]]
    return 200, {"kind": "LeaseList", "apiVersion": "coordination.k8s.io/v1", "metadata": metadata, "items": items}


def perform(method, path, body):
    url = urllib.parse.urlsplit(path)
    if not url.path.startswith(PATH):
        return status(404, "NotFound", "", "the server could not find the requested resource")
    name = url.path[len(PATH) + 1 :]
    with lock:
        if method == "POST":
            return create(body)
        if method == "PUT":
            return update(name, body)
        if method == "DELETE":
            return delete(name)
        if not name:
            return page(urllib.parse.parse_qs(url.query))
        return (200, leases[name]) if name in leases else status(404, "NotFound", name)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def there(self, name):
        path = os.path.join(directory, name + "-leases")
        return self.server.server_port == int(lossy) and os.path.exists(path)

    def answer(self):
        size = int(self.headers.get("Content-Length", 0))
        body = json.loads(self.rfile.read(size)) if size else None
        write = self.command in ("POST", "PUT")
        if self.headers.get("Authorization") != "Bearer " + token:
            return self.send(*status(401, "Unauthorized", "", "Unauthorized"))
        while write and self.there("hold"):
            time.sleep(0.05)
        forced = None
        if self.there("answer"):
            with open(os.path.join(directory, "answer-leases")) as file:
                forced = int(file.read())
        if forced == 429:
            return self.send(*status(429, "TooManyRequests", "", "too many requests"))
        result = perform(self.command, self.path, body)
        if write and self.there("lose"):
            self.close_connection = True
            return None
        if forced and write:
            result = status(forced, "Timeout", "", "the answer is a status of %d" % forced)
        return self.send(*result)

    def send(self, code, body):
        text = json.dumps(body).encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST = do_PUT = do_DELETE = answer

    def log_message(self, *args):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256


context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate, key)
for one in port, lossy:
    server = Server(("127.0.0.1", int(one)), Handler)
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    threading.Thread(target=server.serve_forever, daemon=True).start()
while os.path.isdir(directory):
    time.sleep(0.5)
