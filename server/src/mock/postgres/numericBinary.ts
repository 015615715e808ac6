// NUMERIC in PostgreSQL's binary format: digits to the base of 10,000, with weight, sign and scale.

const BASE_DIGITS = 4;
const NEGATIVE = 0x4000;
const NOT_A_NUMBER = 0xc000;

/** The binary form of a decimal number, or of `NaN`. */
export function encodeNumeric(text: string): Buffer {
  if (text === "NaN") return words([0, 0, NOT_A_NUMBER, 0]);
  const plain = text.replace(/^[+-]/, "");
  const [whole = "", fraction = ""] = plain.split(".");
  const left = whole.padStart(Math.ceil(whole.length / BASE_DIGITS) * BASE_DIGITS, "0");
  const right = fraction.padEnd(Math.ceil(fraction.length / BASE_DIGITS) * BASE_DIGITS, "0");
  const digits = [...(left + right).matchAll(/\d{4}/g)].map(([four]) => Number(four));
  let weight = left.length / BASE_DIGITS - 1;
  while (digits[0] === 0) {
    digits.shift();
    weight--;
  }
  while (digits.at(-1) === 0) digits.pop();
  if (digits.length === 0) weight = 0;
  const sign = text.startsWith("-") && digits.length > 0 ? NEGATIVE : 0;
  return words([digits.length, weight & 0xffff, sign, fraction.length, ...digits]);
}

/** The text of a decimal number in binary form. Throws RangeError when bytes are missing. */
export function decodeNumeric(bytes: Buffer): string {
  const count = bytes.readUInt16BE(0);
  const weight = bytes.readInt16BE(2);
  const sign = bytes.readUInt16BE(4);
  const scale = bytes.readUInt16BE(6);
  if (sign === NOT_A_NUMBER) return "NaN";
  const digitAt = (index: number): number =>
    index >= 0 && index < count ? bytes.readUInt16BE(8 + 2 * index) : 0;
  let whole = "";
  for (let index = 0; index <= weight; index++) whole += four(digitAt(index));
  let fraction = "";
  for (let index = weight + 1; fraction.length < scale; index++) fraction += four(digitAt(index));
  const left = whole.replace(/^0+(?=\d)/, "") || "0";
  const text = scale === 0 ? left : `${left}.${fraction.slice(0, scale)}`;
  return sign === NEGATIVE ? `-${text}` : text;
}

function four(digit: number): string {
  return String(digit).padStart(BASE_DIGITS, "0");
}

function words(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(2 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt16BE(value, 2 * index);
  return bytes;
}
