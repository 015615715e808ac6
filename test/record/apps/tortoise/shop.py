"""Five races, and five that are correct, over Tortoise ORM and asyncpg."""

from tortoise import fields
from tortoise.exceptions import IntegrityError
from tortoise.expressions import F
from tortoise.functions import Max
from tortoise.models import Model
from tortoise.transactions import atomic, in_transaction


class Account(Model):
    id = fields.IntField(primary_key=True)
    balance = fields.IntField()


class Event(Model):
    id = fields.IntField(primary_key=True)
    capacity = fields.IntField()


class Booking(Model):
    id = fields.IntField(primary_key=True)
    event = fields.ForeignKeyField("models.Event", related_name="bookings")
    who = fields.CharField(max_length=40)


class Coupon(Model):
    id = fields.IntField(primary_key=True)
    code = fields.CharField(max_length=40, unique=True)
    max_uses = fields.IntField()
    used = fields.IntField()


class Doctor(Model):
    id = fields.IntField(primary_key=True)
    on_call = fields.BooleanField()


class Ticket(Model):
    id = fields.IntField(primary_key=True)
    number = fields.IntField()
    holder = fields.CharField(max_length=40)


class Seat(Model):
    id = fields.IntField(primary_key=True)
    number = fields.IntField(unique=True)
    holder = fields.CharField(max_length=40)


class Document(Model):
    id = fields.IntField(primary_key=True)
    body = fields.CharField(max_length=40)
    version = fields.IntField()


async def withdraw(account_id, amount):
    async with in_transaction():
        account = await Account.get(id=account_id)
        if account.balance < amount:
            raise ValueError("insufficient")
        account.balance -= amount
        await account.save()


@atomic()
async def book(event_id, who):
    event = await Event.get(id=event_id)
    if await event.bookings.all().count() >= event.capacity:
        raise ValueError("full")
    await Booking.create(event=event, who=who)


async def redeem(code):
    coupon = await Coupon.get(code=code)
    if coupon.used >= coupon.max_uses:
        raise ValueError("used up")
    coupon.used += 1
    await coupon.save(update_fields=["used"])


async def leave(doctor_id):
    if await Doctor.filter(on_call=True).count() < 2:
        raise ValueError("nobody would be left")
    await Doctor.filter(id=doctor_id).update(on_call=False)


async def go_off_call(doctor_id):
    async with in_transaction():
        await leave(doctor_id)


async def issue_ticket(holder):
    async with in_transaction():
        [last] = await Ticket.annotate(last=Max("number")).values_list("last", flat=True) or [None]
        await Ticket.create(number=(last or 0) + 1, holder=holder)


async def withdraw_locked(account_id, amount):
    async with in_transaction():
        account = await Account.select_for_update().get(id=account_id)
        if account.balance < amount:
            raise ValueError("insufficient")
        account.balance -= amount
        await account.save()


async def redeem_in_place(code):
    free = Coupon.filter(code=code, used__lt=F("max_uses"))
    if await free.update(used=F("used") + 1) == 0:
        raise ValueError("used up")


async def take_seat(number, holder):
    try:
        await Seat.create(number=number, holder=holder)
    except IntegrityError:
        raise ValueError("taken") from None


async def edit_document(document_id, body):
    async with in_transaction():
        document = await Document.get(id=document_id)
        same = Document.filter(id=document_id, version=document.version)
        if await same.update(body=body, version=document.version + 1) == 0:
            raise ValueError("somebody else was faster")


async def go_off_call_serializable(doctor_id):
    async with in_transaction() as connection:
        await connection.execute_query("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE")
        await leave(doctor_id)
