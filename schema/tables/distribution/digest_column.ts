import { type SQL, sql } from "drizzle-orm";
import { customType } from "drizzle-orm/sqlite-core";

/** The algorithms of digests by the number of their bytes. */
const algorithms: Record<number, string> = { 32: "sha256", 64: "sha512" };

/**
 * A digest such as `sha256:…`, stored as its bytes. Their number says which algorithm it is. D1 returns bytes
 * as a list of numbers.
 */
export const digestColumn = customType<{ data: string; driverData: number[] }>({
  dataType: () => "blob",
  toDriver: (digest) => sql`unhex(${digest.slice(digest.indexOf(":") + 1)})`,
  fromDriver: (bytes) =>
    `${algorithms[bytes.length]}:${bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("")}`,
});

/** SQL: the stored bytes of a digest in a text. Both algorithms have names of six letters. */
export const digestBytes = (text: SQL) => sql`unhex(substr(${text}, 8))`;

/** SQL: the text of a digest from its stored bytes. */
export const digestText = (bytes: SQL) =>
  sql`iif(length(${bytes}) = 64, 'sha512:', 'sha256:') || lower(hex(${bytes}))`;
