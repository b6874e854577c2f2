/** Distinguished names of X.509, as certificates have them and as Notation writes them (RFC 4514). */
import { contentOf, itemsOf, oidOf, readAll } from "./der.ts";
import { SignatureError } from "./signature.ts";

/** The attributes that a name can be compared by, with their short names. */
const attributes: Record<string, string> = {
  "2.5.4.3": "CN",
  "2.5.4.6": "C",
  "2.5.4.7": "L",
  "2.5.4.8": "ST",
  "2.5.4.9": "STREET",
  "2.5.4.10": "O",
  "2.5.4.11": "OU",
  "2.5.4.5": "SERIALNUMBER",
};

/** The types of strings whose bytes are characters: UTF8String, PrintableString and IA5String. */
const stringTags = [0x0c, 0x13, 0x16];

const set = 0x31;

/** The most characters of a name as text. */
const maxLength = 512;

/** The attributes of a name, by their short names. */
export type Name = Map<string, string>;

/**
 * Reads the content of a name in a certificate. Attributes without a short name are left out. Throws DerError, and
 * SignatureError if an attribute is there twice: it cannot be compared then.
 */
export function readName(content: Uint8Array<ArrayBuffer>): Name {
  const name: Name = new Map();
  for (const part of readAll(content)) {
    for (const attribute of readAll(contentOf(part, set))) {
      const [type, value] = itemsOf(attribute);
      const short = attributes[oidOf(type)];
      if (!short || !value || !stringTags.includes(value.tag)) continue;
      const text = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true }).decode(value.value);
      if (name.has(short)) throw new SignatureError(`the certificate has ${short} twice`);
      name.set(short, text);
    }
  }
  return name;
}

/** The name as text: `CN=release,O=Example`. A comma or a backslash in a value has a backslash before it. */
export const nameText = (name: Name): string =>
  [...name]
    .map(([short, value]) => `${short}=${value.replace(/[\\,]/g, "\\$&")}`)
    .join(",")
    .slice(0, maxLength);

/** Reads the text of a name, such as `C=US, O=Example`. Undefined if it is not one. */
export function parseName(text: string): Name | undefined {
  const name: Name = new Map();
  for (const part of text.match(/(?:\\.|[^,\\])+/g) ?? []) {
    const [, short = "", value = ""] = /^\s*([A-Za-z]+)\s*=\s*(.*\S)\s*$/.exec(part) ?? [];
    const known = Object.values(attributes).includes(short.toUpperCase());
    if (!known || name.has(short.toUpperCase())) return undefined;
    name.set(short.toUpperCase(), value.replace(/\\(.)/g, "$1"));
  }
  return name.size > 0 ? name : undefined;
}

/** Whether a name has all attributes of another one. */
export const hasAll = (name: Name, wanted: Name): boolean =>
  [...wanted].every(([short, value]) => name.get(short) === value);
