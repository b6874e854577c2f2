/**
 * The secrets of keys: two letters of the vendor's name, `key_`, 43 random characters, and 6 characters with the CRC-32 of
 * all before them. A scanner of source code finds them by their form, and a typing error is found without the database.
 * 43 characters of 62 are 256 random bits. No one can guess these, so their plain SHA-256 is stored: a slow hash protects
 * only what can be guessed, and would cost every request.
 */
import { randomText } from "../aip/random_text.ts";
import type { Config } from "../config.ts";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const randomLength = 43;
const checksumLength = 6;

const prefixOf = ({ vendor }: Pick<Config, "vendor">) => `${vendor.slice(0, 2)}key_`;

/** CRC-32 as in gzip (RFC 1952 section 8). */
function crc32(text: string): number {
  let rest = 0xffffffff;
  for (const byte of new TextEncoder().encode(text)) {
    rest ^= byte;
    for (let bit = 0; bit < 8; bit += 1) rest = (rest >>> 1) ^ (rest & 1 ? 0xedb88320 : 0);
  }
  return (rest ^ 0xffffffff) >>> 0;
}

function checksumOf(text: string): string {
  let rest = crc32(text);
  let digits = "";
  while (digits.length < checksumLength) {
    digits = alphabet.charAt(rest % alphabet.length) + digits;
    rest = Math.floor(rest / alphabet.length);
  }
  return digits;
}

/** A new secret. */
export function newKeySecret(config: Pick<Config, "vendor">): string {
  const text = prefixOf(config) + randomText(alphabet, randomLength);
  return text + checksumOf(text);
}

/** Whether a text begins like a key. No token of the platform does. */
export const isLikeKey = (config: Pick<Config, "vendor">, text: string): boolean =>
  text.startsWith(prefixOf(config));

/** Whether a text has the form of a key, and the right checksum. */
export function isWholeKey(config: Pick<Config, "vendor">, text: string): boolean {
  const prefix = prefixOf(config);
  const length = prefix.length + randomLength;
  const isForm = isLikeKey(config, text) && text.length === length + checksumLength;
  const isPlain = /^[0-9A-Za-z]+$/.test(text.slice(prefix.length));
  return isForm && isPlain && checksumOf(text.slice(0, length)) === text.slice(length);
}
