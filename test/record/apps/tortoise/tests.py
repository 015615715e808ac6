import os
import random
import unittest

from tortoise import Tortoise

import shop

RUNS = 12


async def connected():
    await Tortoise.init(
        config={
            "connections": {
                "default": {
                    "engine": "tortoise.backends.asyncpg",
                    "credentials": {
                        "host": os.environ["DB_HOST"],
                        "port": int(os.environ["DB_PORT"]),
                        "user": os.environ["DB_USER"],
                        "password": "",
                        "database": os.environ["DB_NAME"],
                    },
                }
            },
            "apps": {"models": {"models": ["shop"], "default_connection": "default"}},
        }
    )


class Shop(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        random.seed(7)
        await connected()
        await Tortoise.generate_schemas()
        if await shop.Account.all().count() > 0:
            return
        for i in range(1, 4):
            await shop.Account.create(balance=300 + 70 * i)
            await shop.Event.create(capacity=2 + i)
            await shop.Coupon.create(code=f"C-{i}", max_uses=2 + i, used=0)
            await shop.Document.create(body="", version=3 * i)
        for _ in range(9):
            await shop.Doctor.create(on_call=True)

    async def asyncTearDown(self):
        await Tortoise.close_connections()

    async def often(self, work, arguments):
        done = 0
        for number in range(RUNS):
            try:
                await work(*arguments(number))
                done += 1
            except ValueError:
                pass
        self.assertGreater(done, 2)

    async def reset(self):
        await shop.Doctor.all().update(on_call=True)
        await shop.Coupon.all().update(used=0)

    async def test_withdrawals(self):
        for work in (shop.withdraw, shop.withdraw_locked):
            await self.often(work, lambda _: (random.randint(1, 3), random.randint(3, 77)))

    async def test_book(self):
        await self.often(shop.book, lambda n: (random.randint(1, 3), f"w{n}"))

    async def test_redeem(self):
        for work in (shop.redeem, shop.redeem_in_place):
            await self.often(work, lambda _: (f"C-{random.randint(1, 3)}",))
            await self.reset()

    async def test_doctors(self):
        for work in (shop.go_off_call, shop.go_off_call_serializable):
            await self.often(work, lambda n: (1 + n % 9,))
            await self.reset()

    async def test_tickets(self):
        await self.often(shop.issue_ticket, lambda n: (f"h{n}",))

    async def test_seats(self):
        await self.often(shop.take_seat, lambda n: (n % 10, f"h{n}"))

    async def test_documents(self):
        await self.often(shop.edit_document, lambda n: (random.randint(1, 3), f"text {n}"))


if __name__ == "__main__":
    unittest.main()
