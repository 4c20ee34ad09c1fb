# Receives webhooks of Roster, verifies them, and keeps a copy of the contacts in SQLite, which stands for your database.
# Python 3.9 or later, without packages: WEBHOOK_SECRET=whsec_… python3 receiver.py
# With the package "standardwebhooks", Webhook(secret).verify(body, headers) replaces is_signed.
import base64
import hashlib
import hmac
import json
import os
import re
import sqlite3
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KEY = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"), validate=True)
if not KEY:
    raise SystemExit("WEBHOOK_SECRET is empty")
MAX_BYTES = 1024 * 1024

lock = threading.Lock()
db = sqlite3.connect("copy.db", check_same_thread=False)
db.execute("CREATE TABLE IF NOT EXISTS handled (webhook_id TEXT PRIMARY KEY)")
db.execute("CREATE TABLE IF NOT EXISTS contacts (id TEXT PRIMARY KEY, version TEXT, contact TEXT)")
# A late message must not replace a newer contact, nor bring back a deleted one.
STORE = """
    INSERT INTO contacts VALUES (?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET version = excluded.version, contact = excluded.contact
    WHERE excluded.version >= contacts.version
"""


def is_signed(headers, body):
    timestamp = headers.get("webhook-timestamp", "")
    if not re.fullmatch("[0-9]{1,12}", timestamp) or abs(time.time() - int(timestamp)) > 300:
        return False
    signed = f"{headers.get('webhook-id', '')}.{timestamp}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.new(KEY, signed, hashlib.sha256).digest())
    signatures = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(signature.encode(), expected) for signature in signatures)


def handle(webhook_id, event, contact):
    with lock, db:  # One transaction.
        if db.execute("INSERT OR IGNORE INTO handled VALUES (?)", (webhook_id,)).rowcount == 0:
            return
        if contact is not None:
            db.execute(STORE, (contact["id"], contact["updatedAt"], json.dumps(contact)))
        elif event["contactId"] is not None:
            # As text, this version is later than any time.
            db.execute(STORE, (event["contactId"], "deleted", None))


class Receiver(BaseHTTPRequestHandler):
    timeout = 10

    def do_POST(self):
        self.send_response(self.respond())
        self.end_headers()

    # An exception closes the connection without a response: Roster sends the message again.
    def respond(self):
        length = int(self.headers.get("content-length", 0))
        if not 0 <= length <= MAX_BYTES:
            return 413
        body = self.rfile.read(length)
        if not is_signed(self.headers, body):
            return 400
        data = json.loads(body)["data"]
        handle(self.headers["webhook-id"], data["event"], data["contact"])
        return 204


ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8000"))), Receiver).serve_forever()
