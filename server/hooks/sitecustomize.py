"""Puts the place in the application behind each statement, as a comment, while `isolens record` runs it.

Python imports a module of this name at its start. It changes no module before the application imports it, and the
application's own sitecustomize runs as well.
"""

import importlib.abc
import importlib.machinery
import itertools
import os
import re
import sys
import types

ROOT = os.path.realpath(os.environ.get("ISOLENS_ROOT", os.getcwd())) + os.sep
TEST = re.compile(r"(^|/)(tests?|conftest)(/|\.py$)|(^|/)test_[^/]*\.py$|_test\.py$")
FOREIGN = re.compile(r"(^|/)(site-packages|dist-packages|node_modules|\.venv|venv|\.tox)/")
#: What a runner of tests calls is a test, whatever its file is called.
RUNNER = re.compile(r"^(unittest\.(case|suite|loader|async_case)|_pytest\b|django\.test\b|nose2?\b)")
#: What runs a task was not called by what is around it.
LOOP = re.compile(r"^(asyncio\.(events|base_events|runners)$|uvloop\b|pytest_asyncio\b|anyio\.pytest_plugin$)")
#: Where frameworks call the handler of a request; functions of the application around it are no entry points.
HANDLER = {
    ("django.core.handlers.base", "_get_response"),
    ("django.core.handlers.base", "_get_response_async"),
    ("starlette.routing", "handle"),
    ("flask.app", "dispatch_request"),
}
LETTERS = re.compile(r"[^A-Za-z0-9_./-]")
_calls = itertools.count(1)
_tests = set()
#: Texts of one place differ in as many ways, so that prepared statements are found again.
VARIANTS = 16


class _Mark:
    """What a frame carries to tell one call of a function from the next."""

    def __init__(self):
        self.number = next(_calls) % VARIANTS

    def __call__(self, *_):
        return None


def _path(code):
    file = code.co_filename
    if not file.startswith(ROOT):
        file = os.path.realpath(file) if os.path.exists(file) else file
    if not file.startswith(ROOT):
        return None
    own = file[len(ROOT) :].replace(os.sep, "/")
    return None if FOREIGN.search(own) else own


def _escaped(text):
    return LETTERS.sub(lambda found: "".join("~%02X" % byte for byte in found.group().encode()), text)


class _Place:
    """A function of the application that runs: its code, where it is, and the frame that is there for this call alone."""

    def __init__(self, path, code, line, frame):
        self.path, self.code, self.line, self.frame = path, code, line, frame

    def written(self, line=None):
        name = self.code.co_qualname if sys.version_info >= (3, 11) else self.code.co_name
        return ":".join((_escaped(self.path), str(self.line if line is None else line), _escaped(name)))


def _decorated(frame):
    """The application's function that a library's function was made around (its decorator): what that sends is of the call."""
    if not frame.f_code.co_freevars or _path(frame.f_code) is not None:
        return None
    inner = [frame.f_locals.get(name) for name in frame.f_code.co_freevars]
    own = [code for code in map(_wrapped, inner) if code is not None and _path(code) is not None]
    return own[0] if len(own) == 1 else None


def _wrapped(function):
    """The code of a function below its decorators. Objects of other types are asked nothing: they may do much to answer."""
    for _ in range(_DECORATORS):
        if isinstance(function, types.MethodType):
            function = function.__func__
        if not isinstance(function, types.FunctionType):
            return None
        if "__wrapped__" not in function.__dict__:
            return function.__code__
        function = function.__dict__["__wrapped__"]
    return None


#: The most decorators that a function has.
_DECORATORS = 20


def _parents(frame):
    while frame is not None:
        yield frame
        frame = frame.f_back
    try:
        greenlet = sys.modules["greenlet"].getcurrent().parent
    except (KeyError, AttributeError):
        return
    while greenlet is not None:
        outer = greenlet.gr_frame
        while outer is not None:
            yield outer
            outer = outer.f_back
        greenlet = greenlet.parent


def _places(start):
    """The application's functions on the stack, nearest first; the file that a runner of tests calls into is a test's."""
    own = []
    called = None
    is_call = False
    for frame in _parents(start):
        path = _path(frame.f_code)
        code = _decorated(frame)
        module = frame.f_globals.get("__name__") or ""
        if path is not None:
            is_call = True
            own.append(_Place(path, frame.f_code, frame.f_lineno, frame))
        elif code is not None and own and own[-1].code is code:
            own[-1].frame = frame
        elif code is not None and _path(code) is not None:
            own.append(_Place(_path(code), code, code.co_firstlineno, frame))
        elif own and (module, frame.f_code.co_name) in HANDLER:
            break
        elif LOOP.match(module):
            is_call = False
        elif is_call and RUNNER.match(module):
            # The outermost one: between a test and what it calls, a runner's own assertions may stand.
            called = own[-1].path
    if called is not None:
        _tests.add(called)
    return own


def comment():
    """The comment for a statement that is sent now; empty where no frame is the application's."""
    nearest = outermost = test = None
    for place in _places(sys._getframe(2)):
        if place.path in _tests or TEST.search(place.path):
            test = test or place
            continue
        nearest = nearest or place
        if place.code.co_name not in ("<module>", "main"):
            outermost = place
    if nearest is None:
        return "" if test is None else "/*isolens:%s;;*/" % test.written()
    entry = outermost or nearest
    call = ""
    if outermost is not None:
        mark = entry.frame.f_trace
        if mark is None and sys.gettrace() is None:
            mark = entry.frame.f_trace = _Mark()
        if isinstance(mark, _Mark):
            call = str(mark.number)
    return "/*isolens:%s;%s;%s*/" % (nearest.written(), entry.written(entry.code.co_firstlineno), call)


def _text(sql):
    """The statement with its comment, as what it was: text or bytes."""
    try:
        own = comment()
    except Exception as problem:  # The application goes on without this one.
        sys.stderr.write("isolens: no call site of a statement: %s\n" % problem)
        own = ""
    if not own:
        return sql
    if isinstance(sql, str):
        return sql + own
    return bytes(sql) + own.encode() if isinstance(sql, (bytes, bytearray)) else sql


def _wrap(owner, name, around):
    inner = getattr(owner, name)

    def outer(*args, **kwargs):
        return around(inner, *args, **kwargs)

    outer.__name__, outer.__doc__, outer.__wrapped__ = name, inner.__doc__, inner
    setattr(owner, name, outer)


def _psycopg(module):
    def convert(inner, self, *args, **kwargs):
        result = inner(self, *args, **kwargs)
        self.query = _text(self.query)
        return result

    for name in ("PostgresQuery", "PostgresClientQuery"):
        _wrap(getattr(module, name), "convert", convert)


def _psycopg2(module):
    extensions = sys.modules["psycopg2.extensions"]
    made = {}

    def cursor_of(kind):
        if kind not in made:

            class Cursor(kind):
                def execute(self, query, vars=None):
                    whole = self.mogrify(query, vars) if vars is not None else query
                    return super().execute(_text(whole))

            Cursor.__name__ = kind.__name__
            made[kind] = Cursor
        return made[kind]

    def connection_of(kind):
        class Connection(kind):
            def cursor(self, name=None, cursor_factory=None, *args, **kwargs):
                factory = cursor_factory or self.cursor_factory or extensions.cursor
                return super().cursor(name, cursor_of(factory), *args, **kwargs)

        Connection.__name__ = kind.__name__
        return Connection

    def connect(inner, dsn=None, connection_factory=None, cursor_factory=None, **kwargs):
        kind = connection_of(connection_factory or extensions.connection)
        return inner(dsn, connection_factory=kind, cursor_factory=cursor_factory, **kwargs)

    _wrap(module, "connect", connect)


def _query(module):
    _wrap(module.Connection, "query", lambda inner, self, sql, *args, **kwargs: inner(self, _text(sql), *args, **kwargs))


def _asyncpg(module):
    def first(inner, self, query, *args, **kwargs):
        return inner(self, _text(query), *args, **kwargs)

    for name in ("_execute", "_prepare", "execute"):
        _wrap(module.Connection, name, first)


HOOKS = {
    "psycopg._queries": _psycopg,
    "psycopg2": _psycopg2,
    "pymysql.connections": _query,
    "MySQLdb.connections": _query,
    "asyncpg.connection": _asyncpg,
}


class _Loader(importlib.abc.Loader):
    def __init__(self, inner, hook):
        self.inner, self.hook = inner, hook

    def create_module(self, spec):
        return self.inner.create_module(spec)

    def exec_module(self, module):
        self.inner.exec_module(module)
        try:
            self.hook(module)
        except Exception as problem:  # The application goes on without call sites.
            sys.stderr.write("isolens: no call sites of %s: %s\n" % (module.__name__, problem))

    def __getattr__(self, name):
        return getattr(self.inner, name)


class _Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        hook = HOOKS.get(name)
        if hook is None:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader, hook)
        return spec


sys.meta_path.insert(0, _Finder())


def _next_sitecustomize():
    """The one that this one stands before on the path."""
    here = os.path.dirname(os.path.abspath(__file__))
    others = [each for each in sys.path if os.path.abspath(each or ".") != here]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", others)
    if spec is not None and spec.loader is not None:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


import importlib.util  # noqa: E402

_next_sitecustomize()
