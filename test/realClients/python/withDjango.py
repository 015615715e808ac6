"""Django: migrations, the ORM, locks, introspection."""
import os
import sys
import tempfile
import types
from steps import ADDRESS, IS_POSTGRES, PORT, step

if not IS_POSTGRES:
    import pymysql

    pymysql.version_info = (2, 2, 1, "final", 0)
    pymysql.install_as_MySQLdb()
import django
from django.conf import settings

folder = tempfile.mkdtemp()
os.makedirs(os.path.join(folder, "shop", "migrations"))
for name in ("shop/__init__.py", "shop/migrations/__init__.py"):
    open(os.path.join(folder, name), "w").close()
MODELS = '''
from django.db import models
class Account(models.Model):
    owner = models.CharField(max_length=40, unique=True)
    balance = models.DecimalField(max_digits=12, decimal_places=2, default=0)
    made = models.DateTimeField(auto_now_add=True)
    doc = models.JSONField(null=True)
    blob = models.BinaryField(null=True)
    token = models.UUIDField(null=True)
    class Meta:
        constraints = [models.CheckConstraint(condition=models.Q(balance__gte=0), name="shop_balance")]
        indexes = [models.Index(fields=["balance"], name="shop_balance_index")]
class Entry(models.Model):
    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="entries")
    amount = models.IntegerField(default=1)
    day = models.DateField(null=True)
    span = models.DurationField(null=True)
'''
with open(os.path.join(folder, "shop", "models.py"), "w") as file:
    file.write(MODELS)
sys.path.insert(0, folder)
settings.configure(
    DATABASES={"default": {"ENGINE": f"django.db.backends.{'postgresql' if IS_POSTGRES else 'mysql'}", "NAME": "app", "USER": "app", "PASSWORD": "secret", "HOST": "127.0.0.1", "PORT": PORT}},
    INSTALLED_APPS=["django.contrib.contenttypes", "django.contrib.auth", "shop"],
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    USE_TZ=True,
)
django.setup()
from django.core.management import call_command
from django.db import connection, models, transaction
from django.db.utils import IntegrityError


def clean():
    with connection.cursor() as cursor:
        names = [each for each in connection.introspection.table_names(cursor) if each.startswith(("shop_", "auth_", "django_"))]
        if not IS_POSTGRES:
            cursor.execute("set foreign_key_checks = 0")
        for each in names:
            cursor.execute(f"drop table {connection.ops.quote_name(each)} {'cascade' if IS_POSTGRES else ''}")
        if not IS_POSTGRES:
            cursor.execute("set foreign_key_checks = 1")


step("clean", clean)
step("makemigrations", lambda: call_command("makemigrations", "shop", verbosity=0))
step("migrate", lambda: call_command("migrate", verbosity=0))
step("migrate again", lambda: call_command("migrate", verbosity=0))


def alter():
    with open(os.path.join(folder, "shop", "models.py"), "w") as file:
        file.write(MODELS.replace("max_length=40", "max_length=60").replace('    amount = models.IntegerField(default=1)', '    amount = models.BigIntegerField(default=1, db_index=True)\n    note = models.TextField(default="x")'))
    import subprocess
    script = "import django, sys; from django.conf import settings; sys.path.insert(0, %r); settings.configure(DATABASES=%r, INSTALLED_APPS=%r, DEFAULT_AUTO_FIELD='django.db.models.BigAutoField', USE_TZ=True); %s django.setup(); from django.core.management import call_command; call_command('makemigrations', 'shop', verbosity=0); call_command('migrate', verbosity=0); from shop.models import Account, Entry; a = Account.objects.create(owner='later', balance=1); Entry.objects.create(account=a, amount=2**40); print(Entry.objects.filter(note='x').count())" % (folder, {"default": {key: value for key, value in settings.DATABASES["default"].items() if key in ("ENGINE", "NAME", "USER", "PASSWORD", "HOST", "PORT")}}, settings.INSTALLED_APPS, "" if IS_POSTGRES else "import pymysql; pymysql.version_info = (2, 2, 1, 'final', 0); pymysql.install_as_MySQLdb();")
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else done.stderr.strip().splitlines()[-1]


from shop.models import Account, Entry


def create():
    import datetime
    import uuid
    account = Account.objects.create(owner="ann", balance="12.50", doc={"a": [1, None]}, blob=b"\x00\xff", token=uuid.UUID(int=7))
    Entry.objects.bulk_create([Entry(account=account, amount=at, day=datetime.date(2024, 2, 29), span=datetime.timedelta(hours=1)) for at in range(3)])
    found = Account.objects.prefetch_related("entries").get(owner="ann")
    return [found.balance, found.doc, bytes(found.blob), found.token, [(each.amount, each.day, each.span) for each in found.entries.order_by("amount")]]


step("create", create)
step("aggregate", lambda: list(Account.objects.annotate(n=models.Count("entries"), total=models.Sum("entries__amount")).values_list("owner", "n", "total")))
step("json", lambda: list(Account.objects.filter(doc__a__0=1).values_list("owner", flat=True)))


def locked():
    with transaction.atomic():
        account = Account.objects.select_for_update().get(owner="ann")
        account.balance += 1
        account.save()
        try:
            with transaction.atomic():
                Account.objects.create(owner="ann")
        except IntegrityError:
            pass
    return Account.objects.get(owner="ann").balance


step("locked", locked)
step("F", lambda: [Account.objects.filter(owner="ann").update(balance=models.F("balance") * 2), Account.objects.get(owner="ann").balance])
step("get_or_create", lambda: [Account.objects.get_or_create(owner="bob")[1], Account.objects.get_or_create(owner="bob")[1], Account.objects.update_or_create(owner="bob", defaults={"balance": 3})[1]])
step("upsert", lambda: len(Account.objects.bulk_create([Account(owner="bob", balance=9)], update_conflicts=True, update_fields=["balance"], **({"unique_fields": ["owner"]} if IS_POSTGRES else {}))))
step("check", lambda: Account.objects.create(owner="bad", balance=-1))
step("iterator", lambda: sum(1 for _ in Entry.objects.iterator(chunk_size=2)))
step("delete", lambda: Account.objects.filter(owner="ann").delete())
step("alter", alter)


def introspect():
    with connection.cursor() as cursor:
        names = sorted(each for each in connection.introspection.table_names(cursor) if each.startswith("shop_"))
        constraints = connection.introspection.get_constraints(cursor, "shop_entry")
        return [names, [(each.name, each.null_ok) for each in connection.introspection.get_table_description(cursor, "shop_entry")], sorted((sorted(each["columns"]), each["primary_key"], each["unique"], str(each["foreign_key"])) for each in constraints.values())]


step("introspect", introspect)
