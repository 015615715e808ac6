// A zip archive of files in memory: deflated, and without dates, so that the same files give the same bytes.
import { crc32, deflateRawSync } from "node:zlib";

/**
 * @typedef {object} ZipEntry
 * @property {string} name its path in the archive, with slashes
 * @property {Uint8Array} bytes
 */

/**
 * The archive of files, in their order (PKWARE's APPNOTE 6.3, without extensions: below 4 GB and 65,536 files).
 *
 * @param {readonly ZipEntry[]} entries
 * @returns {Buffer}
 */
export function zipOf(entries) {
  /** @type {Buffer[]} */
  const bodies = [];
  /** @type {Buffer[]} */
  const directory = [];
  let offset = 0;
  for (const { name, bytes } of entries) {
    const path = Buffer.from(name, "utf8");
    const deflated = deflateRawSync(bytes, { level: 9 });
    const about = Buffer.alloc(26);
    about.writeUInt16LE(VERSION, 0);
    about.writeUInt16LE(NAMES_IN_UTF8, 2);
    about.writeUInt16LE(DEFLATED, 4);
    about.writeUInt16LE(FIRST_DAY, 8);
    about.writeUInt32LE(crc32(bytes), 10);
    about.writeUInt32LE(deflated.length, 14);
    about.writeUInt32LE(bytes.length, 18);
    about.writeUInt16LE(path.length, 22);
    const local = Buffer.concat([signature(0x04034b50), about, path]);
    bodies.push(local, deflated);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    directory.push(signature(0x02014b50), word(VERSION), about, rest, path);
    offset += local.length + deflated.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(listed.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...bodies, listed, signature(0x06054b50), end]);
}

const VERSION = 20;
const NAMES_IN_UTF8 = 0x0800;
const DEFLATED = 8;
/** 1980-01-01, the first day that a zip archive can name. */
const FIRST_DAY = 0x21;

/** @param {number} value */
function signature(value) {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

/** @param {number} value */
function word(value) {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}
