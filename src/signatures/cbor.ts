/**
 * Reads CBOR (RFC 8949), the encoding of COSE, as far as a signature needs it. Lengths must be definite and as short as
 * possible, and a map must have no key twice.
 */
import { type Bytes, SignatureError } from "./signature.ts";

/** A value. A map has text keys, or numbers as text. A tag is left out around its value, except the outermost. */
export type Cbor = number | string | boolean | null | Bytes | Cbor[] | CborMap | Tagged;
export type CborMap = Map<number | string, Cbor>;

export class Tagged {
  readonly tag: number;
  readonly value: Cbor;

  constructor(tag: number, value: Cbor) {
    this.tag = tag;
    this.value = value;
  }
}

const invalid = () => new SignatureError("its CBOR is not valid, or has too many values");

/** The deepest nesting, and the most values. */
const limits = { depth: 8, values: 1000 };

/** Reads bytes that are one value. Throws SignatureError. */
export function readCbor(bytes: Bytes): Cbor {
  const reader = new Reader(bytes);
  const value = reader.value(0);
  if (!reader.isAtEnd) throw invalid();
  return value;
}

class Reader {
  readonly #bytes: Bytes;
  #at = 0;
  #values = 0;

  constructor(bytes: Bytes) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  value(depth: number): Cbor {
    this.#values += 1;
    if (depth > limits.depth || this.#values > limits.values) throw invalid();
    const [first = 0] = this.#take(1);
    const argument = this.#argument(first & 0x1f);
    switch (first >> 5) {
      case 0:
        return argument;
      case 1:
        return -1 - argument;
      case 2:
        return this.#take(argument);
      case 3:
        return this.#text(argument);
      case 4:
        return this.#list(argument, depth);
      case 5:
        return this.#map(argument, depth);
      case 6:
        return new Tagged(argument, this.value(depth + 1));
      default:
        return simple(first);
    }
  }

  #take(length: number): Bytes {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw invalid();
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }

  /** The number after the type: a length, a tag or the value itself. */
  #argument(short: number): number {
    if (short < 24) return short;
    const size = { 24: 1, 25: 2, 26: 4, 27: 8 }[short];
    if (!size) throw invalid();
    const number = this.#take(size).reduce((sum, byte) => sum * 256 + byte, 0);
    const least = { 1: 24, 2: 0x100, 4: 0x10000, 8: 0x100000000 }[size] ?? 0;
    if (number < least || !Number.isSafeInteger(number)) throw invalid();
    return number;
  }

  #text(length: number): string {
    try {
      return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(this.#take(length));
    } catch {
      throw invalid();
    }
  }

  #list(length: number, depth: number): Cbor[] {
    if (length > limits.values) throw invalid();
    return Array.from({ length }, () => this.value(depth + 1));
  }

  #map(length: number, depth: number): CborMap {
    const map: CborMap = new Map();
    for (let pair = 0; pair < length; pair += 1) {
      const key = this.value(depth + 1);
      if (typeof key !== "string" && typeof key !== "number") throw invalid();
      if (map.has(key)) throw invalid();
      map.set(key, this.value(depth + 1));
    }
    return map;
  }
}

/** True, false and null. Numbers with a fraction are not supported. */
function simple(first: number): boolean | null {
  const value = { 244: false, 245: true, 246: null }[first];
  if (value === undefined) throw invalid();
  return value;
}

/** Writes the start of a text or a byte string: its type and its length. */
function headOf(type: number, length: number): number[] {
  if (length < 24) return [(type << 5) | length];
  if (length < 0x100) return [(type << 5) | 24, length];
  if (length < 0x10000) return [(type << 5) | 25, length >> 8, length & 0xff];
  return [(type << 5) | 26, ...[24, 16, 8, 0].map((shift) => (length >>> shift) & 0xff)];
}

/** The bytes that COSE_Sign1 signs (RFC 9052 section 4.4), without external data. */
export function signStructure(protectedHeader: Bytes, payload: Bytes): Bytes {
  const context = new TextEncoder().encode("Signature1");
  const parts = [
    [0x84, ...headOf(3, context.length), ...context],
    headOf(2, protectedHeader.length),
    protectedHeader,
    [0x40, ...headOf(2, payload.length)],
    payload,
  ];
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
