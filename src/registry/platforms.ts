/** Platforms of images, as OCI names them (https://github.com/opencontainers/image-spec/blob/v1.1.0/image-index.md). */
import { type SQL, sql } from "drizzle-orm";

/** An architecture whose only variant goes without saying, spelled out, and its usual name. */
const [spelledOut, short] = ["arm64/v8", "arm64"];

/** The one name of an architecture that has two: `arm64/v8` is `arm64`. */
export const usualArchitecture = (name: string) => (name === spelledOut ? short : name);

/** SQL: {@link usualArchitecture} of a text. */
export const usualArchitectureIn = (name: SQL) =>
  sql`iif(${name} = ${spelledOut}, ${short}, ${name})`;

/** `amd64`, or with its variant `arm/v7`; what builders write for 64-bit ARM is always `arm64`. */
export const architectureOf = (architecture: string, variant: string) =>
  usualArchitecture(variant === "" ? architecture : `${architecture}/${variant}`);
