"""Django's own TestCase: each test runs in a transaction that is undone, and savepoints are the application's."""

import os
import random

import django
from django.conf import settings

# The runner loads this file by its name.
if not settings.configured:
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

from django.test import TestCase  # noqa: E402
from django.test.runner import DiscoverRunner  # noqa: E402

from shop import models, races, twins  # noqa: E402

RUNS = 12


class Shop(TestCase):
    @classmethod
    def setUpTestData(cls):
        random.seed(7)
        cls.accounts = [models.Account.objects.create(owner=f"o{i}", balance=100 + 70 * i).pk for i in range(3)]
        cls.events = [models.Event.objects.create(title=f"t{i}", capacity=2 + i).pk for i in range(3)]
        cls.codes = [models.Coupon.objects.create(code=f"C{i}", max_uses=2 + i, used=0).code for i in range(3)]
        cls.doctors = [models.Doctor.objects.create(name=f"d{i}", on_call=True).pk for i in range(9)]
        cls.documents = [models.Document.objects.create(body="", version=i).pk for i in range(3)]

    def often(self, work, arguments):
        done = 0
        for number in range(RUNS):
            try:
                work(*arguments(number))
                done += 1
            except ValueError:
                pass
        self.assertGreater(done, 2)

    def test_withdraw(self):
        self.often(races.withdraw, lambda _: (random.choice(self.accounts), random.randint(3, 77)))

    def test_withdraw_locked(self):
        self.often(twins.withdraw_locked, lambda _: (random.choice(self.accounts), random.randint(3, 77)))

    def test_book(self):
        self.often(races.book, lambda n: (random.choice(self.events), f"w{n}"))

    def test_redeem(self):
        self.often(races.redeem, lambda n: (random.choice(self.codes), 1000 + n))

    def test_redeem_in_place(self):
        self.often(twins.redeem_in_place, lambda _: (random.choice(self.codes),))

    def test_go_off_call(self):
        self.often(races.go_off_call, lambda n: (self.doctors[n % 9],))

    def test_issue_ticket(self):
        self.often(races.issue_ticket, lambda n: (f"h{n}",))

    def test_take_seat(self):
        self.often(twins.take_seat, lambda n: (n % 10, f"h{n}"))

    def test_edit_document(self):
        self.often(twins.edit_document, lambda n: (random.choice(self.documents), f"text {n}"))


if __name__ == "__main__":
    raise SystemExit(DiscoverRunner(verbosity=0, interactive=False).run_tests(["testcase"]))
