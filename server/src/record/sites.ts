// Where in the application a statement comes from, as a comment in it says: the format of this program's own hooks,
// sqlcommenter's (`key='value'`, percent-encoded), and marginalia's (`key:value`).

/** A line of the application; paths are relative to the folder that was recorded in, where they are inside of it. */
export interface CodePlace {
  readonly file: string;
  /** From one. */
  readonly line: number;
  readonly name: string;
}

export interface CallSite {
  /** The nearest frame of the application. */
  readonly place?: CodePlace;
  /** Name of the work: the outermost function of the application, or a route. */
  readonly entry: string;
  readonly entryPlace?: CodePlace;
  /** Tells one call of the entry from the next. */
  readonly call?: string;
  /** The statement is of a test, which no frame of the application stands between. */
  readonly isTest?: boolean;
}

/** The call site that the comments of a statement tell; undefined where they tell none. */
export function siteOf(comments: readonly string[]): CallSite | undefined {
  for (const comment of comments) {
    const own = hookSite(comment) ?? taggedSite(comment);
    if (own !== undefined) return own;
  }
  return undefined;
}

/** `isolens:file:line:function;file:line:function;call`, each part escaped as `~XX`. */
const HOOK = /^\/\*isolens:([^;*]*);([^;*]*);([^;*]*)\*\/$/;

function hookSite(comment: string): CallSite | undefined {
  const [, near = "", far = "", call = ""] = HOOK.exec(comment) ?? [];
  const place = codePlace(near);
  if (place === undefined) return undefined;
  const entryPlace = codePlace(far);
  if (entryPlace === undefined) return { place, entry: place.name, isTest: true };
  return { place, entry: entryPlace.name, entryPlace, ...(call !== "" && { call }) };
}

function codePlace(written: string): CodePlace | undefined {
  const [file = "", line = "", name = ""] = written.split(":").map(unescaped);
  return file === "" ? undefined : { file, line: Number(line), name };
}

function unescaped(text: string): string {
  const bytes = text.replace(/~([0-9A-F]{2})/g, (_, code: string) => `%${code}`);
  return decoded(bytes);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A stray percent sign: the text is what it is.
    return text;
  }
}

const TAG = /([\w-]+)(?:='((?:[^'\\]|\\.)*)'|:([^,*]*))/g;

function taggedSite(comment: string): CallSite | undefined {
  const tags = new Map<string, string>();
  for (const [, key = "", quoted, plain] of comment.slice(2, -2).matchAll(TAG))
    tags.set(key, decoded(quoted?.replaceAll("\\'", "'") ?? (plain ?? "").trim()));
  const action = [tags.get("controller"), tags.get("action")].filter((each) => each !== undefined);
  const entry = tags.get("route") ?? (action.length > 0 ? action.join("#") : tags.get("job"));
  const place = callSite(tags.get("callsite") ?? tags.get("line") ?? tags.get("file"));
  if (entry === undefined && place === undefined) return undefined;
  const call = traceOf(tags.get("traceparent")) ?? tags.get("request_id");
  return {
    entry: entry ?? place?.name ?? "",
    ...(place && { place }),
    ...(call !== undefined && { call }),
  };
}

/** `app/models/account.rb:12:in 'withdraw'` */
function callSite(text: string | undefined): CodePlace | undefined {
  const [, file, line, name = ""] = /^(.+?):(\d+)(?::in [`']([^']*)'?)?$/.exec(text ?? "") ?? [];
  return file === undefined ? undefined : { file, line: Number(line), name };
}

/** `00-TRACE-SPAN-FLAGS`: the trace is the request. */
function traceOf(traceparent: string | undefined): string | undefined {
  return /^[0-9a-f]{2}-([0-9a-f]{32})-/.exec(traceparent ?? "")?.[1];
}
