import random
import unittest

from sqlalchemy import delete, update
from sqlalchemy.orm import Session

import service
from models import Account, Base, Booking, Coupon, Doctor, Document, Event, engine

RUNS = 12


class Shop(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        random.seed(7)
        Base.metadata.drop_all(engine)
        Base.metadata.create_all(engine)
        with Session(engine) as session, session.begin():
            for i in range(1, 4):
                session.add(Account(id=i, balance=300 + 70 * i))
                session.add(Event(id=i, capacity=2 + i))
                session.add(Coupon(id=i, code=f"C-{i}", max_uses=2 + i, used=0))
                session.add(Document(id=i, body=""))
            for i in range(1, 10):
                session.add(Doctor(id=i, on_call=1))

    def often(self, work, arguments):
        done = 0
        for number in range(RUNS):
            try:
                work(*arguments(number))
                done += 1
            except ValueError:
                pass
        self.assertGreater(done, 2)

    def reset(self):
        with Session(engine) as session, session.begin():
            session.execute(update(Doctor).values(on_call=1))
            session.execute(update(Coupon).values(used=0))
            session.execute(delete(Booking))

    def test_withdrawals(self):
        for work in (service.withdraw, service.withdraw_locked):
            self.often(work, lambda _: (random.randint(1, 3), random.randint(3, 77)))

    def test_book(self):
        self.often(service.book, lambda n: (random.randint(1, 3), f"w{n}"))

    def test_redeem(self):
        for work in (service.redeem, service.redeem_in_place):
            self.often(work, lambda _: (f"C-{random.randint(1, 3)}",))
            self.reset()

    def test_doctors(self):
        for work in (service.go_off_call, service.go_off_call_serializable):
            self.often(work, lambda n: (1 + n % 9,))
            self.reset()

    def test_tickets_and_seats(self):
        self.often(service.issue_ticket, lambda n: (f"h{n}",))
        self.often(service.take_seat, lambda n: (n % 10, f"h{n}"))

    def test_documents(self):
        self.often(service.edit_document, lambda n: (random.randint(1, 3), f"text {n}"))


if __name__ == "__main__":
    unittest.main()
