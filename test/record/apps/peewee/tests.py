import random
import unittest

import shop

RUNS = 12


class Shop(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        random.seed(7)
        shop.db.connect()
        shop.db.drop_tables(shop.TABLES)
        shop.db.create_tables(shop.TABLES)
        for i in range(1, 4):
            shop.Account.create(balance=300 + 70 * i)
            shop.Event.create(capacity=2 + i)
            shop.Coupon.create(code=f"C-{i}", max_uses=2 + i, used=0)
            shop.Document.create(body="", version=3 * i)
        for _ in range(9):
            shop.Doctor.create(on_call=True)

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
        shop.Doctor.update(on_call=True).execute()
        shop.Coupon.update(used=0).execute()

    def test_withdrawals(self):
        for work in (shop.withdraw, shop.withdraw_locked):
            self.often(work, lambda _: (random.randint(1, 3), random.randint(3, 77)))

    def test_book(self):
        self.often(shop.book, lambda n: (random.randint(1, 3), f"w{n}"))

    def test_redeem(self):
        for work in (shop.redeem, shop.redeem_in_place):
            self.often(work, lambda _: (f"C-{random.randint(1, 3)}",))
            self.reset()

    def test_doctors(self):
        for work in (shop.go_off_call, shop.go_off_call_serializable):
            self.often(work, lambda n: (1 + n % 9,))
            self.reset()

    def test_tickets(self):
        self.often(shop.issue_ticket, lambda n: (f"h{n}",))

    def test_seats(self):
        self.often(shop.take_seat, lambda n: (n % 10, f"h{n}"))

    def test_documents(self):
        self.often(shop.edit_document, lambda n: (random.randint(1, 3), f"text {n}"))


if __name__ == "__main__":
    unittest.main()
