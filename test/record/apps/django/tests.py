"""Calls everything often enough to be learnt from, one after the other, as tests do."""

import os
import random
import unittest

import django
from django.conf import settings

settings.configure(
    SECRET_KEY="tests",
    INSTALLED_APPS=["shop"],
    USE_TZ=True,
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    DATABASES={
        "default": {
            "ENGINE": os.environ.get("APP_ENGINE", "django.db.backends.postgresql"),
            "NAME": os.environ["DB_NAME"],
            "USER": os.environ["DB_USER"],
            "PASSWORD": os.environ.get("DB_PASSWORD", ""),
            "HOST": os.environ["DB_HOST"],
            "PORT": os.environ["DB_PORT"],
        }
    },
)
django.setup()

from django.db import connection  # noqa: E402

from shop import models, races, twins  # noqa: E402

TABLES = [
    models.Account,
    models.Event,
    models.Booking,
    models.Coupon,
    models.Redemption,
    models.Doctor,
    models.Ticket,
    models.Seat,
    models.Document,
]
RUNS = 12


class Shop(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        random.seed(7)
        with connection.schema_editor() as editor:
            for table in TABLES:
                editor.create_model(table)
        cls.accounts = [models.Account.objects.create(owner=f"o{i}", balance=100 + 70 * i).pk for i in range(3)]
        cls.events = [models.Event.objects.create(title=f"t{i}", capacity=2 + i).pk for i in range(3)]
        cls.codes = [models.Coupon.objects.create(code=f"C{i}", max_uses=2 + i, used=0).code for i in range(3)]
        cls.doctors = [models.Doctor.objects.create(name=f"d{i}", on_call=True).pk for i in range(9)]
        cls.documents = [models.Document.objects.create(body="", version=i).pk for i in range(3)]

    @classmethod
    def tearDownClass(cls):
        with connection.schema_editor() as editor:
            for table in reversed(TABLES):
                editor.delete_model(table)

    def often(self, work, arguments):
        done = refused = 0
        for number in range(RUNS):
            try:
                work(*arguments(number))
                done += 1
            except ValueError:
                refused += 1
        self.assertGreater(done, 0)
        return refused

    def test_withdraw(self):
        self.often(races.withdraw, lambda _: (random.choice(self.accounts), random.randint(3, 77)))

    def test_withdraw_locked(self):
        self.often(twins.withdraw_locked, lambda _: (random.choice(self.accounts), random.randint(3, 77)))

    def test_book(self):
        self.assertGreater(self.often(races.book, lambda n: (random.choice(self.events), f"w{n}")), 0)

    def test_redeem(self):
        self.assertGreater(self.often(races.redeem, lambda n: (random.choice(self.codes), 1000 + n)), 0)

    def test_redeem_in_place(self):
        models.Coupon.objects.update(used=0)
        self.often(twins.redeem_in_place, lambda _: (random.choice(self.codes),))

    def test_go_off_call(self):
        self.often(races.go_off_call, lambda n: (self.doctors[n % 9],))
        models.Doctor.objects.update(on_call=True)

    def test_go_off_call_serializable(self):
        self.often(twins.go_off_call_serializable, lambda n: (self.doctors[n % 9],))
        models.Doctor.objects.update(on_call=True)

    def test_issue_ticket(self):
        self.often(races.issue_ticket, lambda n: (f"h{n}",))

    def test_take_seat(self):
        self.often(twins.take_seat, lambda n: (n % 10, f"h{n}"))

    def test_edit_document(self):
        self.often(twins.edit_document, lambda n: (random.choice(self.documents), f"text {n}"))


if __name__ == "__main__":
    unittest.main()
