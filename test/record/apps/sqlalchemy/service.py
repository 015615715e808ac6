"""Five races, and five that are correct."""

from sqlalchemy import func, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from models import Account, Booking, Coupon, Doctor, Document, Event, Seat, Ticket, engine


def withdraw(account_id, amount):
    with Session(engine) as session, session.begin():
        account = session.get(Account, account_id)
        if account.balance < amount:
            raise ValueError("insufficient")
        account.balance -= amount


def book(event_id, who):
    with Session(engine) as session, session.begin():
        event = session.get(Event, event_id)
        taken = session.scalar(select(func.count()).select_from(Booking).where(Booking.event_id == event_id))
        if taken >= event.capacity:
            raise ValueError("full")
        session.add(Booking(event_id=event_id, who=who))


def redeem(code):
    with Session(engine) as session:
        coupon = session.scalars(select(Coupon).where(Coupon.code == code)).one()
        coupon_id, used, most = coupon.id, coupon.used, coupon.max_uses
    if used >= most:
        raise ValueError("used up")
    with Session(engine) as session, session.begin():
        session.execute(update(Coupon).where(Coupon.id == coupon_id).values(used=used + 1))


def go_off_call(doctor_id):
    with Session(engine) as session, session.begin():
        leave(session, doctor_id)


def leave(session, doctor_id):
    if session.scalar(select(func.count()).select_from(Doctor).where(Doctor.on_call == 1)) < 2:
        raise ValueError("nobody would be left")
    session.get(Doctor, doctor_id).on_call = 0


def issue_ticket(holder):
    with Session(engine) as session, session.begin():
        last = session.scalar(select(func.max(Ticket.number))) or 0
        session.add(Ticket(number=last + 1, holder=holder))


def withdraw_locked(account_id, amount):
    with Session(engine) as session, session.begin():
        account = session.get(Account, account_id, with_for_update=True)
        if account.balance < amount:
            raise ValueError("insufficient")
        account.balance -= amount


def redeem_in_place(code):
    with Session(engine) as session, session.begin():
        free = update(Coupon).where(Coupon.code == code, Coupon.used < Coupon.max_uses)
        if session.execute(free.values(used=Coupon.used + 1)).rowcount == 0:
            raise ValueError("used up")


def take_seat(number, holder):
    try:
        with Session(engine) as session, session.begin():
            session.add(Seat(number=number, holder=holder))
    except IntegrityError:
        raise ValueError("taken") from None


def edit_document(document_id, body):
    with Session(engine) as session, session.begin():
        session.get(Document, document_id).body = body


def go_off_call_serializable(doctor_id):
    with Session(engine.execution_options(isolation_level="SERIALIZABLE")) as session, session.begin():
        leave(session, doctor_id)
