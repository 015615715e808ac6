// Entries of Java's maps, one after the other: `Map.of(k, v).entrySet()`, `keySet()`, `values()`, `forEach`.
import { attribute } from "../../../../query/nodes";
import { dictionary } from "../../../../protocol/dictionary";
import { mayBeAbsent } from "../values/absentFields";
import {
  ABSENT,
  constant,
  type ObjectValue,
  oneOfSeveral,
  UNDEFINED,
  type Value,
} from "../../values";
import { aliases, type Builtin, type BuiltinCall } from "../builtins/builtin";
import { putEntry } from "../builtins/javaBuiltins";
import { bornNow, type State } from "../state";
import { readsOf } from "../values/convert";
import { fieldNamesOf } from "../values/fieldNames";
import { setAnyMember } from "../values/member";
import { listOf, recordOf } from "./collections";
import { eachItem } from "./iteration";

type Entry = readonly [key: Value, value: Value];

const KEY = "#key";
const VALUE = "#value";

/** Maps that cannot be changed, by what they were made of. */
const made = attribute<ObjectValue, readonly Entry[]>();

/** Functions and methods by their names. */
export const JAVA_MAPS = dictionary<Builtin>({
  ...aliases("HashMap LinkedHashMap TreeMap ConcurrentHashMap", ({ state, args }) =>
    copyOfMap(state, args),
  ),
  "Map.of": ({ state, args }) => {
    const pairs = args.flatMap((key, at): readonly Entry[] =>
      at % 2 === 0 ? [[key, args[at + 1] ?? UNDEFINED]] : [],
    );
    return mapOf(state, pairs);
  },
  "Map.entry": ({ state, args: [key = UNDEFINED, value = UNDEFINED] }) =>
    entryOf(state, [key, value]),
  "Map.ofEntries": ({ state, args }) =>
    mapOf(
      state,
      args.map((entry) => [partOf(entry, KEY), partOf(entry, VALUE)]),
    ),
  "object.entrySet": (call) => listed(call, (entry) => entryOf(call.state, entry)),
  "object.keySet": (call) => listed(call, ([key]) => key),
  "object.values": (call) => listed(call, ([, value]) => value),
  "object.forEach": (call) => {
    const { state, site, args } = call;
    const [run] = args;
    const entries = listed(call, (entry) => entryOf(state, entry));
    eachItem(state, entries, site.span, (entry) => {
      if (run) state.evaluator.call(state, run, [partOf(entry, KEY), partOf(entry, VALUE)], site);
    });
    return UNDEFINED;
  },
  "object.getKey": ({ self }) => partOf(self, KEY),
  "object.getValue": ({ self }) => partOf(self, VALUE),
});

/** `new HashMap<>(others)`: a map with what another holds, or an empty one of some size. */
function copyOfMap(state: State, [from]: readonly Value[]): Value {
  const copy = recordOf(state, {});
  if (!from || from.kind === "scalar" || copy.kind !== "object") return copy;
  const entries = from.kind === "object" ? entriesIn(from) : undefined;
  for (const [key, value] of entries ?? []) putEntry(state, copy, key, value);
  if (!entries) setAnyMember(state, copy, from);
  return copy;
}

function mapOf(state: State, entries: readonly Entry[]): Value {
  const map: ObjectValue = { kind: "object", fields: new Map(), born: bornNow(state) };
  for (const [key, value] of entries) putEntry(state, map, key, value);
  made.set(map, entries);
  return map;
}

function entryOf(state: State, [key, value]: Entry): Value {
  return recordOf(state, { [KEY]: key, [VALUE]: value });
}

function partOf(entry: Value, part: string): Value {
  const found = entry.kind === "object" ? entry.fields.get(part)?.value : undefined;
  return found ?? oneOfSeveral("an entry of a map that is not known", readsOf(entry));
}

function listed({ state, self }: BuiltinCall, item: (entry: Entry) => Value): Value {
  const entries = self.kind === "object" ? entriesIn(self) : undefined;
  if (!entries) return oneOfSeveral("what a map holds is only known when it runs", readsOf(self));
  return listOf(state, entries.map(item));
}

/** Where all of them are known; keys that were put are kept as texts, whatever they were. */
function entriesIn(map: ObjectValue): readonly Entry[] | undefined {
  const own = made.get(map);
  if (own) return own;
  const names = map.class ? undefined : fieldNamesOf(map);
  if (!names || names.some((name) => /^-?[\d.]+$/u.test(name))) return undefined;
  const entries = names.map((name) => [name, map.fields.get(name)?.value ?? ABSENT] as const);
  if (entries.some(([, value]) => mayBeAbsent(value))) return undefined;
  return entries.map(([name, value]) => [constant(name), value]);
}
