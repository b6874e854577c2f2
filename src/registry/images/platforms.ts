/**
 * Platforms of images in the names of OCI
 * (https://github.com/opencontainers/image-spec/blob/v1.1.0/image-index.md).
 */
import { type SQL, sql } from "drizzle-orm";

/** An architecture with its only variant, and its usual name without it. */
const [longName, shortName] = ["arm64/v8", "arm64"];

/** The one name of an architecture that has two: `arm64/v8` becomes `arm64`. */
export const canonicalArchitecture = (name: string) => (name === longName ? shortName : name);

/** SQL: {@link canonicalArchitecture} of a text. */
export const canonicalArchitectureSql = (name: SQL) =>
  sql`iif(${name} = ${longName}, ${shortName}, ${name})`;

/** `amd64`, or with its variant `arm/v7`. Every name that builders use for 64-bit ARM becomes `arm64`. */
export const toArchitecture = (architecture: string, variant: string) =>
  canonicalArchitecture(variant === "" ? architecture : `${architecture}/${variant}`);
