/**
 * Reads DER (ITU-T X.690), the encoding of certificates. A library for certificates is 32 to 54 KiB of gzip, and this is
 * one. Everything that DER forbids is an error, such as an indefinite length.
 */

/** One element: its tag, the bytes of its value, and all its bytes. */
export interface Element {
  tag: number;
  value: Uint8Array<ArrayBuffer>;
  bytes: Uint8Array<ArrayBuffer>;
}

/** The tags that certificates use. */
export const Tag = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  email: 0x81,
  uri: 0x86,
  version: 0xa0,
  extensions: 0xa3,
} as const;

/** A fault of the bytes. */
export class DerError extends Error {}

/** Reads the element that the bytes begin with. Throws DerError. */
function readFirst(bytes: Uint8Array<ArrayBuffer>): Element {
  const [tag, first] = bytes;
  if (tag === undefined || first === undefined) throw new DerError("an element is cut off");
  if ((tag & 0x1f) === 0x1f) throw new DerError("a tag has more than one byte");
  const { length, start } = first < 0x80 ? { length: first, start: 2 } : readLength(bytes, first);
  const end = start + length;
  if (end > bytes.length) throw new DerError("an element is cut off");
  return { tag, value: bytes.subarray(start, end), bytes: bytes.subarray(0, end) };
}

function readLength(bytes: Uint8Array, first: number): { length: number; start: number } {
  const start = 2 + (first & 0x7f);
  if (start === 2 || start > 5) throw new DerError("the length of an element is not valid");
  const digits = bytes.subarray(2, start);
  const length = digits.reduce((sum, digit) => sum * 256 + digit, 0);
  const isShortest = length >= 0x80 && digits[0] !== 0;
  if (digits.length < start - 2 || !isShortest)
    throw new DerError("the length of an element is not valid");
  return { length, start };
}

/** Reads bytes that are one element with this tag. Throws DerError. */
export function readOne(bytes: Uint8Array<ArrayBuffer>, tag: number): Element {
  const element = readFirst(bytes);
  if (element.tag !== tag || element.bytes.length !== bytes.length)
    throw new DerError("an element has another type or length");
  return element;
}

/** Reads the elements that follow each other in the bytes. Throws DerError. */
export function readAll(bytes: Uint8Array<ArrayBuffer>): Element[] {
  const elements: Element[] = [];
  for (let rest = bytes; rest.length > 0; ) {
    const element = readFirst(rest);
    elements.push(element);
    rest = rest.subarray(element.bytes.length);
  }
  return elements;
}

/** Returns the value of an element with this tag. Throws DerError. */
export function contentOf(element: Element | undefined, tag: number): Uint8Array<ArrayBuffer> {
  if (element?.tag !== tag) throw new DerError("an element is missing or has another type");
  return element.value;
}

/** Returns the elements of a sequence. Throws DerError. */
export const itemsOf = (element: Element | undefined): Element[] =>
  readAll(contentOf(element, Tag.sequence));

/** Returns the bytes of a bit string, which must be whole bytes. Throws DerError. */
export function bitsOf(element: Element | undefined): Uint8Array<ArrayBuffer> {
  const value = contentOf(element, Tag.bitString);
  if (value[0] !== 0) throw new DerError("a bit string has no whole bytes");
  return value.subarray(1);
}

/** Returns an object identifier as text: `2.5.29.17`. Throws DerError. */
export function oidOf(element: Element | undefined): string {
  const numbers: number[] = [];
  let number = 0;
  const value = contentOf(element, Tag.oid);
  for (const byte of value) {
    number = number * 128 + (byte & 0x7f);
    if (number > 0xffffffff) throw new DerError("an object identifier is too large");
    if (byte & 0x80) continue;
    numbers.push(number);
    number = 0;
  }
  const last = value.at(-1);
  if (last === undefined || last & 0x80) throw new DerError("an object identifier is cut off");
  const [first = 0, ...rest] = numbers;
  const root = Math.min(2, Math.floor(first / 40));
  return [root, first - 40 * root, ...rest].join(".");
}

/** Returns a time in milliseconds since 1970 in UTC (RFC 5280 section 4.1.2.5). Throws DerError. */
export function timeOf(element: Element | undefined): number {
  const isShort = element?.tag === Tag.utcTime;
  const value = contentOf(element, isShort ? Tag.utcTime : Tag.generalizedTime);
  const text = String.fromCharCode(...value.subarray(0, 20));
  const year = Number(text.slice(0, 2)) < 50 ? "20" : "19";
  const parts = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(isShort ? year + text : text);
  const [, years, months, days, hours, minutes, seconds] = parts ?? [];
  const time = Date.parse(`${years}-${months}-${days}T${hours}:${minutes}:${seconds}Z`);
  if (Number.isNaN(time)) throw new DerError("a time is not valid");
  return time;
}
