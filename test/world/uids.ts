/** Uids that are the same in every run, derived from names. */
import { createHash } from "node:crypto";

/** The first hexadecimal digits of the SHA-256 of a text. */
export const hex = (text: string, length: number) =>
  createHash("sha256").update(text).digest("hex").slice(0, length);

/** The uid of the row with that name below a parent. */
export const below = (parent: string, name: string) => `${parent}/${hex(`${parent} ${name}`, 16)}`;
