# SPDX-License-Identifier: Apache-2.0
"""Sends changed and combined messages, several calls at a time, from threads of their own."""

import random
import threading

from google.protobuf import message_factory, text_format

import calls
from mutations import damage

THREADS = 6
# Events of one session.
EVENTS = 60
# Collections grow with each update, and then cost more than they show.
MESSAGES_BETWEEN_CLEARANCES = 1500
MESSAGES_BETWEEN_REPORTS = 100_000


class LongRun:
    """Sends a number of messages and stops at the first answer that is wrong."""

    def __init__(self, address, pool, seed, count, clear, restore, note):
        self.address = address
        self.pool = pool
        self.seed = seed
        self.left = count
        self.clear = clear
        self.restore = restore
        self.note = note
        self.lock = threading.Lock()
        self.failure = None
        self.sent = 0
        self.cleared = 0

    def run(self):
        threads = [threading.Thread(target=self.work, args=(n,)) for n in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if self.failure is not None:
            raise self.failure

    def work(self, number):
        rand = random.Random(f"{self.seed} {number}")
        case = Case(rand, self.pool)
        try:
            while self.left > 0 and self.failure is None:
                with calls.connect(self.address) as channel:
                    for _ in range(calls.CALLS_OF_CONNECTION):
                        if self.failure is not None or not self.send(case, channel):
                            break
        except BaseException as failure:
            with self.lock:
                self.failure = self.failure or failure
            print(f"after {self.sent} messages, of {case.name}:\n{case.text()}", flush=True)

    def send(self, case, channel):
        """Makes one call. Returns whether there is more to do."""
        with self.lock:
            is_due = self.sent - self.cleared >= MESSAGES_BETWEEN_CLEARANCES
            if is_due:
                self.cleared = self.sent
        if is_due:
            self.clear(channel)
        case.make()
        outcome = case.send(channel)
        if outcome == "OK":
            self.restore(channel, calls.METHODS[case.name])
        with self.lock:
            self.note(f"{case.name} (changed)", outcome)
            before, count = self.sent, len(case.requests)
            self.sent += count
            self.left -= count
            if self.sent // MESSAGES_BETWEEN_REPORTS > before // MESSAGES_BETWEEN_REPORTS:
                print(f"{self.sent} messages sent", flush=True)
            return self.left > 0


class Case:
    """One call: what it sends, and how."""

    def __init__(self, rand, pool):
        self.random = rand
        self.pool = pool
        self.name = ""
        self.requests = []

    def make(self):
        # About half of all messages are events of sessions.
        kind = self.random.choices(
            ["unary", "damaged", "ImportContents", "ExportContents", "WatchUpdates", "StreamLayout"],
            [50, 12, 3, 3, 1, 1])[0]
        if kind in ("unary", "damaged"):
            method = self.random.choice(calls.UNARY)
            request = self.mutant(method)
            if kind == "damaged":
                request = damage(self.random, request.SerializeToString())
            self.name, self.requests = method.name, [request]
        elif kind == "StreamLayout":
            self.name, self.requests = kind, self.session()
        elif kind == "ImportContents":
            self.name, self.requests = kind, self.parts()
        else:
            self.name, self.requests = kind, [self.mutant(calls.METHODS[kind])]

    def send(self, channel):
        method = calls.METHODS[self.name]
        if self.name == "StreamLayout":
            accepted = []
            outcome = calls.stream(channel, self.requests, accepted)
            for request in accepted:
                self.pool.add(request, is_accepted=True)
            return outcome
        if self.name == "ImportContents":
            return calls.imports(channel, self.requests)
        if self.name in calls.STREAMING:
            limit = 1 if self.name == "WatchUpdates" else 20
            return calls.server_stream(channel, self.name, self.requests[0], limit)
        outcome = calls.unary(channel, method, self.requests[0])
        if outcome == "OK" and not isinstance(self.requests[0], bytes):
            self.pool.add(self.requests[0], is_accepted=True)
        return outcome

    def mutant(self, method):
        request = self.pool.mutant(self.random, method.input_type)
        # Such a question waits, and there are better uses for the time.
        if "target" in request.DESCRIPTOR.fields_by_name and self.random.random() < 0.98:
            request.target.ClearField("min_data_version")
        return request

    def parts(self):
        """An import: mostly with a header, any parts, and an end."""
        method = calls.METHODS["ImportContents"]
        make = message_factory.GetMessageClass(method.input_type)
        parts = [self.mutant(method) for _ in range(self.random.randint(1, 6))]
        if self.random.random() < 0.05:
            return parts
        header = make(header={"name": self.random.choice(["collections/a", "collections/b"])})
        inner = [part for part in parts if part.WhichOneof("part") in ("section", "items")]
        return [header, *inner, make(end={})]

    def session(self):
        """A session: mostly opened as it should be, then any events, and closed."""
        method = calls.METHODS["StreamLayout"]
        make = message_factory.GetMessageClass(method.input_type)
        requests = [self.opening(make)]
        for number in range(2, self.random.randint(2, EVENTS)):
            request = self.mutant(method)
            # A wrong number, acknowledgement or opening ends the stream, and what follows shows nothing.
            if self.random.random() < 0.995:
                request.event_seq = number if request.WhichOneof("event") else 0
                request.ClearField("ack")
                if request.WhichOneof("event") in ("open", "close"):
                    continue
            requests.append(request)
        requests.append(make(event_seq=EVENTS + 1))
        requests[-1].close.SetInParent()
        return requests

    def opening(self, make):
        request = make(event_seq=1)
        if self.random.random() < 0.5:
            sample = self.pool.mutant(self.random, request.open.DESCRIPTOR)
            request.open.CopyFrom(sample)
        request.open.viewport.size.width = 320
        request.open.viewport.size.height = 480
        request.open.capabilities.checksums = True
        if self.random.random() < 0.7:
            request.open.collection = "collections/a"
        return request

    def text(self):
        """The case as a file for `corpus`."""
        return "\n---\n".join(
            repr(request) if isinstance(request, bytes) else text_format.MessageToString(request)
            for request in self.requests)
