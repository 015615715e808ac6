from django.db import models


class Account(models.Model):
    owner = models.TextField()
    balance = models.IntegerField()


class Event(models.Model):
    title = models.TextField()
    capacity = models.IntegerField()


class Booking(models.Model):
    event = models.ForeignKey(Event, on_delete=models.CASCADE)
    who = models.TextField()


class Coupon(models.Model):
    code = models.TextField(unique=True)
    max_uses = models.IntegerField()
    used = models.IntegerField()


class Redemption(models.Model):
    coupon = models.ForeignKey(Coupon, on_delete=models.CASCADE)
    order_no = models.IntegerField()


class Doctor(models.Model):
    name = models.TextField()
    on_call = models.BooleanField()


class Ticket(models.Model):
    number = models.IntegerField()
    holder = models.TextField()


class Seat(models.Model):
    number = models.IntegerField(unique=True)
    holder = models.TextField()


class Document(models.Model):
    body = models.TextField()
    version = models.IntegerField()
