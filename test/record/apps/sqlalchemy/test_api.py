import random
import unittest

from fastapi.testclient import TestClient

from api import app
from tests import RUNS, Shop

client = TestClient(app)


def asked(method, path, arguments):
    def work(*values):
        own, query = arguments(*values)
        answer = client.request(method, path.format(own), params=query)
        if answer.status_code == 409:
            raise ValueError
        assert answer.status_code == 200, answer.text

    return work


class Api(Shop):
    def test_withdrawals(self):
        for path in ("/accounts/{}/withdraw", "/accounts/{}/withdraw-locked"):
            work = asked("POST", path, lambda own, amount: (own, {"amount": amount}))
            self.often(work, lambda _: (random.randint(1, 3), random.randint(3, 77)))

    def test_book(self):
        work = asked("POST", "/events/{}/book", lambda own, who: (own, {"who": who}))
        self.often(work, lambda n: (random.randint(1, 3), f"w{n}"))

    def test_redeem(self):
        for path in ("/coupons/{}/redeem", "/coupons/{}/redeem-in-place"):
            self.often(asked("POST", path, lambda own: (own, {})), lambda _: (f"C-{random.randint(1, 3)}",))
            self.reset()

    def test_doctors(self):
        for path in ("/doctors/{}/off", "/doctors/{}/off-serializable"):
            self.often(asked("POST", path, lambda own: (own, {})), lambda n: (1 + n % 9,))
            self.reset()

    def test_tickets_and_seats(self):
        tickets = asked("POST", "/tickets", lambda holder: (None, {"holder": holder}))
        self.often(tickets, lambda n: (f"h{n}",))
        seats = asked("POST", "/seats/{}", lambda own, holder: (own, {"holder": holder}))
        self.often(seats, lambda n: (n % 10, f"h{n}"))

    def test_documents(self):
        work = asked("PUT", "/documents/{}", lambda own, body: (own, {"body": body}))
        self.often(work, lambda n: (random.randint(1, 3), f"text {n}"))


del Shop, RUNS

if __name__ == "__main__":
    unittest.main()
