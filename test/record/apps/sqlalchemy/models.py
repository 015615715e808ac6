import os

from sqlalchemy import ForeignKey, String, create_engine
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column


def engine_of(driver):
    host, port = os.environ["DB_HOST"], os.environ["DB_PORT"]
    user, password, name = os.environ["DB_USER"], os.environ["DB_PASSWORD"], os.environ["DB_NAME"]
    return create_engine(f"{driver}://{user}:{password}@{host}:{port}/{name}")


engine = engine_of(os.environ["APP_DRIVER"])


class Base(DeclarativeBase):
    pass


class Account(Base):
    __tablename__ = "account"
    id: Mapped[int] = mapped_column(primary_key=True)
    balance: Mapped[int]


class Event(Base):
    __tablename__ = "event"
    id: Mapped[int] = mapped_column(primary_key=True)
    capacity: Mapped[int]


class Booking(Base):
    __tablename__ = "booking"
    id: Mapped[int] = mapped_column(primary_key=True)
    event_id: Mapped[int] = mapped_column(ForeignKey("event.id"))
    who: Mapped[str] = mapped_column(String(40))


class Coupon(Base):
    __tablename__ = "coupon"
    id: Mapped[int] = mapped_column(primary_key=True)
    code: Mapped[str] = mapped_column(String(40), unique=True)
    max_uses: Mapped[int]
    used: Mapped[int]


class Doctor(Base):
    __tablename__ = "doctor"
    id: Mapped[int] = mapped_column(primary_key=True)
    on_call: Mapped[int]


class Ticket(Base):
    __tablename__ = "ticket"
    id: Mapped[int] = mapped_column(primary_key=True)
    number: Mapped[int]
    holder: Mapped[str] = mapped_column(String(40))


class Seat(Base):
    __tablename__ = "seat"
    id: Mapped[int] = mapped_column(primary_key=True)
    number: Mapped[int] = mapped_column(unique=True)
    holder: Mapped[str] = mapped_column(String(40))


class Document(Base):
    __tablename__ = "document"
    id: Mapped[int] = mapped_column(primary_key=True)
    body: Mapped[str] = mapped_column(String(40))
    version: Mapped[int] = mapped_column()
    __mapper_args__ = {"version_id_col": version}
