// Client programs modelled on five applications that are common in the literature, over keys: Shopping Cart, Twitter,
// Courseware, Wikipedia and TPC-C, two programs each, and a TPC-C of any size.
import type { Client, Key, Reply, Request, Value } from "../../server/src/exploration/client";

type Body = () => Generator<Request, boolean | void, Reply>;

/** A row that is read whole. */
function* get(key: Key): Generator<Request, Value, Reply> {
  const reply = yield { kind: "read", keys: [key] };
  return reply.kind === "values" ? reply.values.get(key) : undefined;
}

function* put(key: Key, value: Value): Generator<Request, void, Reply> {
  yield { kind: "write", key, value };
}

/** A set of names or numbers that is stored in one row. */
function* list(key: Key): Generator<Request, readonly (string | number)[], Reply> {
  const value = yield* get(key);
  return (Array.isArray(value) ? value : []).filter(
    (each): each is string | number => typeof each === "string" || typeof each === "number",
  );
}

function* number(key: Key): Generator<Request, number, Reply> {
  const value = yield* get(key);
  return typeof value === "number" ? value : 0;
}

function* text(key: Key): Generator<Request, string, Reply> {
  const value = yield* get(key);
  return typeof value === "string" ? value : "";
}

function* add(key: Key, by: number): Generator<Request, void, Reply> {
  yield* put(key, (yield* number(key)) + by);
}

function* insert(key: Key, member: string | number): Generator<Request, boolean, Reply> {
  const members = yield* list(key);
  if (members.includes(member)) return false;
  yield* put(key, [...members, member].sort());
  return true;
}

function* remove(key: Key, member: string | number): Generator<Request, boolean, Reply> {
  const members = yield* list(key);
  if (!members.includes(member)) return false;
  yield* put(
    key,
    members.filter((each) => each !== member),
  );
  return true;
}

const addItem = (user: string, item: string): Body =>
  function* () {
    if (yield* insert(`cart/${user}`, item)) yield* put(`quantity/${user}/${item}`, 1);
    else yield* add(`quantity/${user}/${item}`, 1);
  };
const removeItem = (user: string, item: string): Body =>
  function* () {
    yield* remove(`cart/${user}`, item);
  };
const showCart = (user: string): Body =>
  function* () {
    for (const item of yield* list(`cart/${user}`)) yield* get(`quantity/${user}/${item}`);
  };
const changeQuantity = (user: string, item: string, quantity: number): Body =>
  function* () {
    if ((yield* list(`cart/${user}`)).includes(item))
      yield* put(`quantity/${user}/${item}`, quantity);
  };

const openCourse = (course: string): Body =>
  function* () {
    if ((yield* get(`course/${course}`)) === "new") yield* put(`course/${course}`, "open");
  };
const closeCourse = (course: string): Body =>
  function* () {
    if ((yield* get(`course/${course}`)) === "open") yield* put(`course/${course}`, "closed");
  };
const enrol = (student: string, course: string): Body =>
  function* () {
    if ((yield* get(`course/${course}`)) !== "open") return false;
    if ((yield* list(`enrolled/${course}`)).length < 2)
      yield* insert(`enrolled/${course}`, student);
    return true;
  };
const showCourse = (course: string): Body =>
  function* () {
    yield* get(`enrolled/${course}`);
    yield* get(`course/${course}`);
  };

const follow = (user: string, other: string): Body =>
  function* () {
    yield* insert(`follows/${user}`, other);
  };
const tweet = (user: string, text: string): Body =>
  function* () {
    yield* insert(`tweets/${user}`, text);
  };
const feed = (user: string): Body =>
  function* () {
    for (const other of yield* list(`follows/${user}`)) yield* get(`tweets/${other}`);
  };
const profile = (user: string): Body =>
  function* () {
    yield* get(`tweets/${user}`);
  };

const showPage = (page: string): Body =>
  function* () {
    yield* get(`revision/${yield* text(`page/${page}`)}`);
  };
const editPage = (page: string, revision: string, user: string): Body =>
  function* () {
    yield* put(`revision/${revision}`, yield* get(`page/${page}`));
    yield* put(`page/${page}`, revision);
    yield* add(`edits/${user}`, 1);
  };
const watch = (user: string, page: string): Body =>
  function* () {
    yield* insert(`watched/${user}`, page);
  };
const unwatch = (user: string, page: string): Body =>
  function* () {
    yield* remove(`watched/${user}`, page);
  };

const newOrder = (customer: number, item: number, name: string): Body =>
  function* () {
    yield* get("warehouse/tax");
    const order = yield* number("district/next");
    yield* put("district/next", order + 1);
    yield* get(`customer/${customer}`);
    yield* put("orders", [...(yield* list("orders")), order]);
    yield* put(`order/${order}`, name);
    yield* add(`stock/${item}`, -1);
  };
const payment = (customer: number, amount: number): Body =>
  function* () {
    yield* add("warehouse/paid", amount);
    yield* add("district/paid", amount);
    yield* add(`customer/${customer}`, -amount);
  };
const orderStatus = (customer: number): Body =>
  function* () {
    yield* get(`customer/${customer}`);
    const orders = yield* list("orders");
    if (orders.length > 0) yield* get(`order/${orders.at(-1) ?? 0}`);
  };
const delivery = (): Body =>
  function* () {
    const [first, ...rest] = yield* list("orders");
    if (first === undefined) return;
    yield* put("orders", rest);
    yield* get(`order/${first}`);
    yield* add("customer/1", 1);
  };
const stockLevel = (item: number): Body =>
  function* () {
    yield* get("district/next");
    yield* get(`stock/${item}`);
  };

/** Sessions that run these transactions in turn. */
function client(
  initial: Readonly<Record<Key, Value>>,
  sessions: readonly (readonly Body[])[],
): Client {
  return {
    initial: new Map(Object.entries(initial)),
    sessions: sessions.map((bodies, session) => ({
      kind: "sync",
      name: `session ${session + 1}`,
      *run() {
        for (const body of bodies) {
          yield { kind: "begin" };
          yield { kind: (yield* body()) === false ? "abort" : "commit" };
        }
      },
    })),
  };
}

const CART = { "cart/u": ["a"], "cart/v": ["a"], "quantity/u/a": 1, "quantity/v/a": 1 };
const COURSES = { "course/c": "open", "course/d": "open" };

/** Three sessions of three transactions each. */
export const CLIENTS: Readonly<Record<string, Client>> = {
  cart1: client(CART, [
    [addItem("u", "a"), showCart("u"), addItem("u", "b")],
    [removeItem("u", "a"), showCart("u"), showCart("u")],
    [changeQuantity("u", "a", 7), showCart("u"), removeItem("u", "b")],
  ]),
  cart2: client(CART, [
    [addItem("u", "a"), showCart("u"), showCart("u")],
    [removeItem("u", "a"), addItem("v", "b"), showCart("v")],
    [addItem("v", "a"), showCart("u"), showCart("v")],
  ]),
  courseware1: client(COURSES, [
    [enrol("s1", "c"), showCourse("c"), closeCourse("c")],
    [enrol("s2", "c"), showCourse("c"), showCourse("c")],
    [enrol("s3", "c"), closeCourse("d"), showCourse("d")],
  ]),
  courseware2: client(COURSES, [
    [enrol("s1", "c"), enrol("s1", "d"), showCourse("c")],
    [enrol("s2", "c"), closeCourse("c"), showCourse("c")],
    [enrol("s3", "d"), openCourse("c"), showCourse("d")],
  ]),
  twitter1: client({}, [
    [tweet("a", "1"), follow("a", "b"), feed("a")],
    [tweet("b", "2"), profile("a"), feed("b")],
    [follow("b", "a"), feed("b"), tweet("b", "3")],
  ]),
  twitter2: client({}, [
    [profile("b"), follow("a", "b"), feed("a")],
    [tweet("b", "1"), tweet("b", "2"), profile("b")],
    [feed("a"), profile("b"), feed("a")],
  ]),
  wikipedia1: client({ "page/p": "p0", "page/q": "q0" }, [
    [editPage("p", "r1", "u"), showPage("p"), watch("u", "p")],
    [showPage("p"), editPage("q", "r2", "u"), showPage("q")],
    [watch("u", "q"), unwatch("u", "p"), showPage("p")],
  ]),
  wikipedia2: client({ "page/p": "p0", "page/q": "q0" }, [
    [editPage("p", "r1", "u"), editPage("q", "r3", "u"), showPage("p")],
    [editPage("p", "r2", "v"), showPage("p"), showPage("q")],
    [showPage("q"), showPage("p"), watch("v", "p")],
  ]),
  tpcc1: client({}, [
    [newOrder(1, 1, "A"), payment(1, 5), stockLevel(1)],
    [newOrder(2, 2, "B"), orderStatus(1), stockLevel(2)],
    [payment(2, 3), orderStatus(2), stockLevel(1)],
  ]),
  tpcc2: client({}, [
    [newOrder(1, 1, "A"), delivery(), stockLevel(1)],
    [payment(1, 2), orderStatus(1), stockLevel(1)],
    [payment(2, 3), orderStatus(2), stockLevel(2)],
  ]),
};

/** A TPC-C of up to five sessions with up to five transactions each. */
export function tpcc(sessions: number, transactions: number): Client {
  const plain = (customer: number): Body =>
    function* () {
      yield* add("warehouse/paid", 1);
      yield* add(`customer/${customer}`, -1);
    };
  const order = (session: number, item: number): Body =>
    function* () {
      const next = yield* number("district/next");
      yield* put("district/next", next + 1);
      yield* put(`order/${next}`, session);
      yield* add(`stock/${item}`, -1);
    };
  return client(
    {},
    Array.from(
      { length: sessions },
      (_, s) =>
        [
          [order(s, 1), plain(s), stockLevel(1), orderStatus(s), plain(0)],
          [plain(s), stockLevel(2), stockLevel(1), order(s, 2), stockLevel(2)],
          [order(s, 2), stockLevel(1), plain(0), stockLevel(2), orderStatus(s)],
          [stockLevel(1), plain(1), stockLevel(2), order(s, 1), plain(s)],
          [plain(2), order(s, 1), stockLevel(2), stockLevel(1), order(s, 2)],
        ][s]?.slice(0, transactions) ?? [],
    ),
  );
}

/** Sessions that read and write two keys crosswise. */
export function crosswise(sessions: number, transactions: number): Client {
  const step = (from: Key | undefined, to: Key | undefined, value: number): Body =>
    function* () {
      if (from !== undefined) yield* get(from);
      if (to !== undefined) yield* put(to, value);
      else yield* get("y");
    };
  return client(
    {},
    Array.from({ length: sessions }, (_, s) =>
      [
        step("x", "y", s * 10 + 1),
        step("y", "x", s * 10 + 2),
        step("x", undefined, 0),
        step("y", "y", s * 10 + 3),
        step("x", "x", s * 10 + 4),
      ].slice(0, transactions),
    ),
  );
}
