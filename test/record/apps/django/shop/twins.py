"""The same, each with what mends it: a lock, a change in place, a unique key, a version, SERIALIZABLE."""

from django.db import IntegrityError, connection, transaction
from django.db.models import F

from .models import Account, Coupon, Doctor, Document, Seat


@transaction.atomic
def withdraw_locked(account_id, amount):
    account = Account.objects.select_for_update().get(pk=account_id)
    if account.balance < amount:
        raise ValueError("insufficient")
    account.balance -= amount
    account.save()


def redeem_in_place(code):
    used = Coupon.objects.filter(code=code, used__lt=F("max_uses")).update(used=F("used") + 1)
    if not used:
        raise ValueError("used up")


def take_seat(number, holder):
    try:
        with transaction.atomic():
            Seat.objects.create(number=number, holder=holder)
    except IntegrityError:
        raise ValueError("taken") from None


@transaction.atomic
def edit_document(document_id, body):
    document = Document.objects.get(pk=document_id)
    changed = Document.objects.filter(pk=document_id, version=document.version).update(
        body=body, version=document.version + 1
    )
    if not changed:
        raise ValueError("changed by somebody else")


def go_off_call_serializable(doctor_id):
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE")
        if Doctor.objects.filter(on_call=True).count() < 2:
            raise ValueError("nobody would be left")
        doctor = Doctor.objects.get(pk=doctor_id)
        doctor.on_call = False
        doctor.save()
