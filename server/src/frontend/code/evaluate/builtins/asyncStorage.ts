// Content of an AsyncLocalStorage: a value for as long as a function runs that it was given with, which that function
// and all that it calls can ask for. Transactions are handed on in this way.
import type { FileId } from "../../../../protocol/source";
import { HANDED_ON, STORAGE_RUN } from "../../callGraph/reachability";
import { constantText, textOf, UNDEFINED, unknown, type Value } from "../../values";
import { recordOf } from "../lists/collections";
import { settle } from "../calls/awaits";
import { within } from "../fork";
import { lose, sourceOf, type State } from "../state";
import { noteStorageRead } from "../values/outside";
import { inputOfType } from "../transactions/instances";
import { aliases, type Builtin, type BuiltinCall } from "./builtin";

const STORAGE = "isolens storage";

/** Storages are told apart by where they are made: an object that holds one may be made more than once. */
const created: Builtin = ({ state, site }) => {
  const file: FileId = state.frame.file;
  const place = `${file}:${String(site.span.start)}`;
  const [type] = site.typeArguments;
  const self = recordOf(state, {
    place: textOf(place),
    ...(type !== undefined && { file: textOf(file), type: textOf(type) }),
  });
  return { kind: "builtin", name: STORAGE, self };
};

function placeOf(self: Value): string {
  return partOf(self, "place") ?? "";
}

function partOf(self: Value, name: "place" | "file" | "type"): string | undefined {
  return constantText(self.kind === "object" ? self.fields.get(name)?.value : undefined);
}

/** Runs something while a storage holds a value. */
function during(state: State, self: Value, store: Value, run: () => Value): Value {
  const stores = new Map(state.stores).set(placeOf(self), store);
  // A promise that is given back without being awaited began in there all the same.
  return within(state, { stores }, () => settle(state, run()));
}

const runs: Builtin = ({ state, self, args: [store = UNDEFINED, callee, ...args], site }) =>
  callee === undefined
    ? UNDEFINED
    : during(state, self, store, () => state.evaluator.call(state, callee, args, site));

/** From here on to the end of what runs. */
const enters: Builtin = ({ state, self, args: [store = UNDEFINED], site }) => {
  if (state.branches.length > 0) {
    const why =
      "an AsyncLocalStorage is entered on some paths only: what it holds behind is not known";
    lose(state, why, sourceOf(state, site.span));
    state.stores = new Map(state.stores).set(placeOf(self), unknown(why));
  } else state.stores = new Map(state.stores).set(placeOf(self), store);
  return UNDEFINED;
};

export const ASYNC_STORAGE: Readonly<Record<string, Builtin>> = {
  ...aliases("AsyncLocalStorage async_hooks.AsyncLocalStorage", created),
  [`${STORAGE}.run`]: runs,
  [`${STORAGE}.exit`]: ({ args, ...call }) => runs({ ...call, args: [UNDEFINED, ...args] }),
  [`${STORAGE}.enterWith`]: enters,
  [`${STORAGE}.disable`]: () => UNDEFINED,
};

/**
 * Content of a storage at a call of `getStore`; undefined for other calls, and where something unknown may have put it there and no type
 * tells what.
 */
export function storageContent(
  name: string,
  { state, self, site }: Pick<BuiltinCall, "state" | "self" | "site">,
): Value | undefined {
  if (name !== `${STORAGE}.getStore`) return undefined;
  const known = state.stores.get(placeOf(self));
  if (known) return known;
  const { isCalled } = state.workspace.reach;
  if (isCalled(STORAGE_RUN) && !isCalled(HANDED_ON)) return UNDEFINED;
  const type = partOf(self, "type");
  const file = state.workspace.files.find((each) => each === partOf(self, "file"));
  const module = file === undefined ? undefined : state.workspace.moduleScope(file);
  if (!module || type === undefined) return undefined;
  noteStorageRead(state, site.name, sourceOf(state, site.span));
  return inputOfType(state, { text: type, module, isOptional: true }, { path: `${site.name}()` });
}
