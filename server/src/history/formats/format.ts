// The formats of recorded histories, recognised by their first bytes.

import { recogniseText, type TextFormatName } from "../../protocol/historyText";

export type FormatName = TextFormatName | "dbcop-bincode" | "cobra";

/** Name of a format in sentences. */
export const FORMAT_TITLES: Readonly<Record<FormatName, string>> = {
  text: "text of PolySI, Plume and IsoVista",
  "dbcop-bincode": "bincode of dbcop",
  "dbcop-json": "JSON of dbcop",
  "dbcop-hist": ".hist text of dbcop",
  cobra: "Cobra log",
  awdit: "test text of AWDIT",
  elle: "EDN of Jepsen and Elle",
  json: "JSON of Isolens",
};

/** The number of bytes that suffices to recognise a format. */
export const HEAD_BYTES = 64 * 1024;

/** The format of a file by its first bytes; undefined if there is none. The file name is ignored, so a renamed file is still read. */
export function recogniseFormat(head: Uint8Array): FormatName | undefined {
  const bytes = head.subarray(0, HEAD_BYTES);
  if (looksLikeCobra(bytes)) return "cobra";
  if (bytes.subarray(0, 1024).includes(0))
    return looksLikeBincode(bytes) ? "dbcop-bincode" : undefined;
  return recogniseText(new TextDecoder().decode(bytes));
}

const COBRA_RECORDS: Readonly<Record<number, number>> = { 83: 9, 67: 9, 87: 25, 82: 33 };

/** A log starts with a transaction and continues with records whose lengths lead from tag to tag. */
function looksLikeCobra(bytes: Uint8Array): boolean {
  if (bytes[0] !== 83) return false;
  let at = 0;
  for (let records = 0; records < 8 && at < bytes.length; records += 1) {
    const length = COBRA_RECORDS[bytes[at] ?? 0];
    if (length === undefined) return false;
    at += length;
  }
  return at > 9 || bytes.length === 9;
}

/** Five numbers and three strings whose lengths fit into the first bytes. */
function looksLikeBincode(bytes: Uint8Array): boolean {
  if (bytes.length < 72) return false;
  for (let number = 0; number < 5; number += 1) {
    // No count of a header is near 2^48.
    if (bytes[8 * number + 6] !== 0 || bytes[8 * number + 7] !== 0) return false;
  }
  let at = 40;
  for (let string = 0; string < 3; string += 1) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (at + 8 > bytes.length || view.getUint32(at + 4, true) !== 0) return false;
    at += 8 + view.getUint32(at, true);
  }
  return at + 8 <= bytes.length;
}
