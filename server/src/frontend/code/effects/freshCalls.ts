// Calls that return a new value each time, judging by their syntax.
import type { HirExpression } from "../hir";

const FRESH =
  /^(?:random(?:[A-Z]\w*)?|getRandomValues|uuid(?:v?\d)?|v[1467]|nanoid|customAlphabet|customRandom|cuid2?|createId|ulid|hrtime|now|genSalt(?:Sync)?|generateKey(?:Pair)?(?:Sync)?|generate\w*(?:Id|Token|Secret|Salt|Nonce|Password|Otp|OTP|Uuid|UUID))$/u;

/** Hash libraries that add a random salt. */
const SALTED = /^(?:bcrypt(?:js)?|argon2)$/iu;

/** Functions that return the current time if they are called without arguments. */
const OF_TIME = /^(?:Date|dayjs|moment|ObjectId)$/u;

/** True if a call returns another value each time it runs, judging by its name. Constant time. */
export function isFreshCall({
  callee,
  arguments: { length },
}: Extract<HirExpression, { kind: "call" | "new" }>): boolean {
  const isEmpty = length === 0;
  if (callee.kind === "name") {
    return FRESH.test(callee.name) || (isEmpty && OF_TIME.test(callee.name));
  }
  if (callee.kind !== "member") return false;
  const { object, property } = callee;
  if (FRESH.test(property) || (isEmpty && OF_TIME.test(property))) return true;
  return object.kind === "name" && SALTED.test(object.name) && property.startsWith("hash");
}
