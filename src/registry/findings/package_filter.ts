import { and, eq, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { invalidArgument } from "../../aip/errors.ts";
import { quoted } from "../../aip/quoted.ts";

interface PackageColumns {
  packageKey: SQLiteColumn;
  version: SQLiteColumn;
  /** The package URL in its canonical form. */
  purl: SQLiteColumn;
}

/**
 * The package that a filter names: its type and key, and the condition for its rows. They have each part that
 * the URL has: the version, every qualifier, and the subpath. Undefined for an empty text. Throws
 * INVALID_ARGUMENT for `purl`.
 */
export async function readPackageFilter(purl: string, columns: PackageColumns) {
  if (purl === "") return undefined;
  const { packageKey, readPurl } = await import("../../packages/purls.ts");
  const read = readPurl(purl);
  if (!read) {
    const text = "must be a package URL, such as pkg:npm/lodash@4.17.20";
    throw invalidArgument("purl", `purl ${text}; you sent ${quoted(purl)}`);
  }
  if (read.qualifiers.vers !== undefined) {
    throw invalidArgument(
      "purl",
      "purl names one version or all, not the range in its qualifier vers",
    );
  }
  const [, , query = "", subpath] = /^([^?#]*)(?:\?([^#]*))?(#.*)?$/.exec(read.purl) ?? [];
  const key = packageKey(read.purl);
  const condition = and(
    eq(columns.packageKey, key),
    read.version === "" ? undefined : eq(columns.version, read.version),
    ...query
      .split("&")
      .filter(Boolean)
      .map((qualifier) => hasQualifier(columns.purl, qualifier)),
    subpath === undefined
      ? undefined
      : sql`substr(${columns.purl}, -${subpath.length}) = ${subpath}`,
  );
  return { type: read.purlType, key, condition };
}

/** `qualifier` is a pair as in the URL, such as `distro=debian-12`. */
const hasQualifier = (purl: SQLiteColumn, qualifier: string): SQL =>
  sql`instr(replace(replace(${purl}, '?', '&'), '#', '&') || '&', ${`&${qualifier}&`}) > 0`;
