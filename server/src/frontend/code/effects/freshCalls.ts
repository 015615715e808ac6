// Calls that give something new each time, told by how they are written.
import type { HirExpression } from "../hir";

const FRESH =
  /^(?:random(?:[A-Z]\w*)?|getRandomValues|uuid(?:v?\d)?|v[1467]|nanoid|customAlphabet|customRandom|cuid2?|createId|ulid|hrtime|now|genSalt(?:Sync)?|generateKey(?:Pair)?(?:Sync)?|generate\w*(?:Id|Token|Secret|Salt|Nonce|Password|Otp|OTP|Uuid|UUID))$/u;

/** Libraries whose hashes have a salt of their own. */
const SALTED = /^(?:bcrypt(?:js)?|argon2)$/iu;

/** Functions of the time where they are given nothing. */
const OF_TIME = /^(?:Date|dayjs|moment|ObjectId)$/u;

/** True if a call gives something else each time that it runs, by its name. Constant time. */
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
