"""Five races, and five that are correct, over Peewee."""

import os

from peewee import (
    BooleanField,
    CharField,
    ForeignKeyField,
    IntegerField,
    IntegrityError,
    Model,
    PostgresqlDatabase,
    fn,
)

db = PostgresqlDatabase(
    os.environ["DB_NAME"],
    host=os.environ["DB_HOST"],
    port=int(os.environ["DB_PORT"]),
    user=os.environ["DB_USER"],
)


class Base(Model):
    class Meta:
        database = db
        legacy_table_names = False


class Account(Base):
    balance = IntegerField()


class Event(Base):
    capacity = IntegerField()


class Booking(Base):
    event = ForeignKeyField(Event, backref="bookings")
    who = CharField()


class Coupon(Base):
    code = CharField(unique=True)
    max_uses = IntegerField()
    used = IntegerField()


class Doctor(Base):
    on_call = BooleanField()


class Ticket(Base):
    number = IntegerField()
    holder = CharField()


class Seat(Base):
    number = IntegerField(unique=True)
    holder = CharField()


class Document(Base):
    body = CharField()
    version = IntegerField()


TABLES = [Account, Event, Booking, Coupon, Doctor, Ticket, Seat, Document]


def withdraw(account_id, amount):
    with db.atomic():
        account = Account.get_by_id(account_id)
        if account.balance < amount:
            raise ValueError("insufficient")
        account.balance -= amount
        account.save()


def book(event_id, who):
    with db.atomic():
        event = Event.get_by_id(event_id)
        if event.bookings.count() >= event.capacity:
            raise ValueError("full")
        Booking.create(event=event, who=who)


def redeem(code):
    coupon = Coupon.get(Coupon.code == code)
    if coupon.used >= coupon.max_uses:
        raise ValueError("used up")
    coupon.used += 1
    coupon.save(only=[Coupon.used])


def leave(doctor_id):
    if Doctor.select().where(Doctor.on_call).count() < 2:
        raise ValueError("nobody would be left")
    Doctor.update(on_call=False).where(Doctor.id == doctor_id).execute()


@db.atomic()
def go_off_call(doctor_id):
    leave(doctor_id)


def issue_ticket(holder):
    with db.atomic():
        last = Ticket.select(fn.MAX(Ticket.number)).scalar() or 0
        Ticket.create(number=last + 1, holder=holder)


def withdraw_locked(account_id, amount):
    with db.atomic():
        account = Account.select().where(Account.id == account_id).for_update().get()
        if account.balance < amount:
            raise ValueError("insufficient")
        account.balance -= amount
        account.save()


def redeem_in_place(code):
    free = (Coupon.code == code) & (Coupon.used < Coupon.max_uses)
    if Coupon.update(used=Coupon.used + 1).where(free).execute() == 0:
        raise ValueError("used up")


def take_seat(number, holder):
    try:
        Seat.create(number=number, holder=holder)
    except IntegrityError:
        raise ValueError("taken") from None


def edit_document(document_id, body):
    with db.atomic():
        document = Document.get_by_id(document_id)
        same = (Document.id == document_id) & (Document.version == document.version)
        if Document.update(body=body, version=document.version + 1).where(same).execute() == 0:
            raise ValueError("somebody else was faster")


def go_off_call_serializable(doctor_id):
    with db.atomic(isolation_level="SERIALIZABLE"):
        leave(doctor_id)
