/** Versions of resources, as weak entity tags (RFC 7644 section 3.14, RFC 9110 section 8.8.3). */
import { ScimError } from "./errors.ts";

interface Versioned {
  updateTime: number;
}

/** The version of a user or a group. */
export const versionOf = ({ updateTime }: Versioned) => `W/"${updateTime}"`;

/** Whether a header lists the version of a resource, or matches any version. */
export const listsVersion = (header: string, row: Versioned) =>
  header.split(",").some((tag) => tag.trim() === "*" || tag.trim() === versionOf(row));

/** Throws 412 unless the resource, such as "user", has the version that the client names, if it names one. */
export function checkVersion(headers: Headers, row: Versioned, noun: string): void {
  const header = headers.get("if-match");
  if (header !== null && !listsVersion(header, row)) {
    throw new ScimError(412, `the ${noun} has changed since that version; read it again`);
  }
}
