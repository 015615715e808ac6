"""SQLAlchemy 2, over the driver that the third argument names: schema, reflection, ORM, isolation, streaming."""
import datetime
import decimal
import enum
import sys
import sqlalchemy as sa
from sqlalchemy import orm
from sqlalchemy.dialects import postgresql
from steps import IS_POSTGRES, PORT, code_of, step

DRIVER = sys.argv[3]
engine = sa.create_engine(f"{'postgresql' if IS_POSTGRES else 'mysql'}+{DRIVER}://app:secret@127.0.0.1:{PORT}/app", pool_size=5)


class Base(orm.DeclarativeBase):
    pass


class Kind(enum.Enum):
    x = 1
    y = 2


class Parent(Base):
    __tablename__ = "sa_parent"
    id: orm.Mapped[int] = orm.mapped_column(primary_key=True)
    name: orm.Mapped[str] = orm.mapped_column(sa.String(40), unique=True, index=True)
    d: orm.Mapped[decimal.Decimal] = orm.mapped_column(sa.Numeric(10, 2))
    made: orm.Mapped[datetime.datetime] = orm.mapped_column(sa.DateTime, server_default=sa.func.now())
    blob: orm.Mapped[bytes | None]
    kind: orm.Mapped[Kind | None]
    flag: orm.Mapped[bool] = orm.mapped_column(default=False)
    version: orm.Mapped[int] = orm.mapped_column()
    kids: orm.Mapped[list["Kid"]] = orm.relationship(back_populates="parent", cascade="all, delete-orphan")
    __mapper_args__ = {"version_id_col": version}
    __table_args__ = (sa.CheckConstraint("d >= 0", name="sa_parent_d"),)


class Kid(Base):
    __tablename__ = "sa_kid"
    id: orm.Mapped[int] = orm.mapped_column(primary_key=True)
    parent_id: orm.Mapped[int] = orm.mapped_column(sa.ForeignKey("sa_parent.id", ondelete="CASCADE"))
    parent: orm.Mapped[Parent] = orm.relationship(back_populates="kids")


step("drop", lambda: Base.metadata.drop_all(engine))
step("create", lambda: Base.metadata.create_all(engine))
step("create again", lambda: Base.metadata.create_all(engine))


def insert():
    with orm.Session(engine) as session:
        session.add_all([Parent(name=f"n{at}", d="1.25", blob=b"\x00\xff", kind=Kind.y, kids=[Kid(), Kid()]) for at in range(20)])
        session.commit()


step("insert", insert)


def select():
    with orm.Session(engine) as session:
        first = session.scalars(sa.select(Parent).options(orm.selectinload(Parent.kids)).order_by(Parent.id)).first()
        return [first.name, first.d, first.blob, first.kind.name, first.flag, first.version, len(first.kids)]


step("select", select)


def group():
    with orm.Session(engine) as session:
        joined = session.scalars(sa.select(Parent).options(orm.joinedload(Parent.kids)).limit(5)).unique().all()
        return [len(joined), [tuple(row) for row in session.execute(sa.select(Parent.version, sa.func.sum(Parent.d)).group_by(Parent.version))]]


step("group", group)


def fresh_version():
    with orm.Session(engine) as one:
        first = one.get(Parent, 1)
        with orm.Session(engine) as other:
            one.rollback()
            with engine.begin() as connection:
                connection.execute(sa.text("update sa_parent set version = 9 where id = 1"))
        first.d = 3
        first.version
        return first.version


step("version", fresh_version)
step("integrity", lambda: (lambda session: (session.add(Parent(name="n1", d=1)), session.commit()))(orm.Session(engine)))


def reflect():
    metadata = sa.MetaData()
    metadata.reflect(engine, only=["sa_parent", "sa_kid"])
    return [[name, [(column.name, str(column.type).split("(")[0].split(" COLLATE")[0], column.nullable, column.primary_key) for column in table.columns]] for name, table in sorted(metadata.tables.items())]


step("reflect", reflect)


def inspect():
    inspector = sa.inspect(engine)
    indexes = [(each["name"], each["column_names"], each["unique"]) for each in inspector.get_indexes("sa_parent")]
    keys = [(each["constrained_columns"], each["referred_table"], each["referred_columns"], each["options"].get("ondelete")) for each in inspector.get_foreign_keys("sa_kid")]
    checks = [each["name"] for each in inspector.get_check_constraints("sa_parent")]
    return [sorted(indexes), keys, checks, inspector.get_pk_constraint("sa_parent")["constrained_columns"], [each["column_names"] for each in inspector.get_unique_constraints("sa_parent")], inspector.has_table("sa_kid"), inspector.has_table("nothing"), inspector.get_view_names()]


step("inspect", inspect)


def skip_locked():
    with orm.Session(engine) as session:
        return len(session.scalars(sa.select(Parent).limit(2).with_for_update(skip_locked=True)).all())


step("skip locked", skip_locked)


def isolation():
    with engine.connect().execution_options(isolation_level="SERIALIZABLE") as connection:
        return [connection.scalar(sa.text("select 1")), connection.get_isolation_level()]


step("isolation", isolation)


def stream():
    with engine.connect().execution_options(stream_results=True) as connection:
        return sum(1 for _ in connection.execute(sa.select(Kid.id)))


step("stream", stream)


def savepoint():
    with orm.Session(engine) as session:
        try:
            with session.begin_nested():
                session.add(Parent(name="n1", d=1))
                session.flush()
        except sa.exc.IntegrityError:
            pass
        session.add(Parent(name="after", d=1))
        session.commit()
        return session.scalar(sa.select(sa.func.count()).select_from(Parent))


step("savepoint", savepoint)
step("cascade", lambda: (lambda session: (session.delete(session.get(Parent, 2)), session.commit(), session.scalar(sa.select(sa.func.count()).select_from(Kid)))[2])(orm.Session(engine)))


def bulk():
    with engine.begin() as connection:
        connection.execute(sa.insert(Parent), [{"name": f"b{at}", "d": at, "version": 1} for at in range(100)])
        return connection.scalar(sa.select(sa.func.sum(Parent.d)).where(Parent.name.like("b%")))


step("bulk", bulk)


def upsert():
    if IS_POSTGRES:
        statement = postgresql.insert(Parent).values(name="n3", d=1, version=1).on_conflict_do_update(index_elements=["name"], set_={"d": 7})
    else:
        from sqlalchemy.dialects import mysql
        statement = mysql.insert(Parent).values(name="n3", d=1, version=1, flag=False).on_duplicate_key_update(d=7)
    with engine.begin() as connection:
        connection.execute(statement.values(flag=False))
        return connection.scalar(sa.select(Parent.d).where(Parent.name == "n3"))


step("upsert", upsert)
