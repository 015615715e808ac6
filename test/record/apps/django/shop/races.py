"""Five transactions that another run of themselves can break."""

from django.db import transaction
from django.db.models import Max

from .models import Account, Booking, Coupon, Doctor, Event, Redemption, Ticket


@transaction.atomic
def withdraw(account_id, amount):
    account = Account.objects.get(pk=account_id)
    if account.balance < amount:
        raise ValueError("insufficient")
    account.balance -= amount
    account.save()


def book(event_id, who):
    with transaction.atomic():
        event = Event.objects.get(pk=event_id)
        if Booking.objects.filter(event=event).count() >= event.capacity:
            raise ValueError("full")
        Booking.objects.create(event=event, who=who)


def redeem(code, order):
    coupon = Coupon.objects.get(code=code)
    if coupon.used >= coupon.max_uses:
        raise ValueError("used up")
    Redemption.objects.create(coupon=coupon, order_no=order)
    coupon.used += 1
    coupon.save(update_fields=["used"])


@transaction.atomic
def go_off_call(doctor_id):
    if Doctor.objects.filter(on_call=True).count() < 2:
        raise ValueError("nobody would be left")
    doctor = Doctor.objects.get(pk=doctor_id)
    doctor.on_call = False
    doctor.save()


@transaction.atomic
def issue_ticket(holder):
    last = Ticket.objects.aggregate(last=Max("number"))["last"] or 0
    Ticket.objects.create(number=last + 1, holder=holder)
