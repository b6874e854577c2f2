/** Platforms of images, as OCI names them (https://github.com/opencontainers/image-spec/blob/v1.1.0/image-index.md). */
import { type SQL, sql } from "drizzle-orm";

/** An architecture whose only variant goes without saying, spelled out, and its usual name. */
const [longName, shortName] = ["arm64/v8", "arm64"];

/** The one name of an architecture that has two: `arm64/v8` is `arm64`. */
export const canonicalArchitecture = (name: string) => (name === longName ? shortName : name);

/** SQL: {@link canonicalArchitecture} of a text. */
export const canonicalArchitectureSql = (name: SQL) =>
  sql`iif(${name} = ${longName}, ${shortName}, ${name})`;

/** `amd64`, or with its variant `arm/v7`; what builders write for 64-bit ARM is always `arm64`. */
export const toArchitecture = (architecture: string, variant: string) =>
  canonicalArchitecture(variant === "" ? architecture : `${architecture}/${variant}`);
