/** Builds the request of a create or an update from a file and flags, and shows it as it is sent. */
import { reasonOf, usageFailure } from "../failure.ts";
import { fieldsOf } from "./catalog.ts";
import { type GivenFlags, isObject, type JsonObject } from "./flags.ts";
import { readInput } from "./input.ts";
import { findUid, isUid, referencedResource, type SearchPlace } from "./names.ts";
import type { PlatformClient, WireRequest } from "./platform.ts";

/**
 * Reads a resource in JSON from a file or `-`, with the fields that a client can set, and as a whole. Throws a USAGE Failure if the content is not such a resource.
 */
export function readResource(
  file: string,
  message: string,
): { fields: JsonObject; whole: JsonObject } {
  const name = file === "-" ? "standard input" : file;
  const value = readObject(file, name);
  const known = fieldsOf(message).map((field) => field.name);
  const unknown = Object.keys(value).filter((key) => !known.includes(key));
  if (unknown.length > 0) {
    throw usageFailure(
      `${name} has unknown fields: ${unknown.join(", ")}. The known fields are: ${known.join(", ")}.`,
    );
  }
  const output = fieldsOf(message).filter(({ isOutput }) => isOutput);
  // A resource can be sent back as `get --json` printed it.
  const fields = Object.fromEntries(
    Object.entries(value).filter(([key]) => !output.some((field) => field.name === key)),
  );
  return { fields, whole: value };
}

/** Reads a JSON object from a file, or from standard input for `-`. Throws a USAGE Failure. */
export function readObject(file: string, name = file): JsonObject {
  try {
    const value: unknown = JSON.parse(readInput(file).toString("utf8"));
    if (isObject(value)) return value;
  } catch (error) {
    throw usageFailure(`Cannot read ${name}: ${reasonOf(error)}`);
  }
  throw usageFailure(`${name} must contain a JSON object.`);
}

/** Replaces names with uids in flags that name another resource. */
export async function withUids(
  platform: PlatformClient,
  values: GivenFlags,
  scope: SearchPlace,
): Promise<GivenFlags> {
  const done: GivenFlags = new Map();
  for (const [path, value] of values) {
    const resource = referencedResource(path.slice(path.lastIndexOf(".") + 1));
    const toUid = async (one: unknown) => {
      const isName = resource && typeof one === "string" && one !== "" && !isUid(one);
      if (!isName) return one;
      return findUid(platform, resource, one, { ...scope, allowsOtherPlaces: true });
    };
    done.set(path, Array.isArray(value) ? await Promise.all(value.map(toUid)) : await toUid(value));
  }
  return done;
}

/** Returns the fields that change: all fields of the file, and each field that a flag names. */
export function maskOf(file: JsonObject, values: GivenFlags): string[] {
  const whole = Object.keys(file);
  const paths = [...values.keys()].filter((path) => !whole.includes(path.split(".")[0] ?? ""));
  // A message that is cleared and set again is replaced as a whole.
  return [
    ...whole,
    ...paths.filter((path) => !paths.some((other) => path.startsWith(`${other}.`))),
  ];
}

/** Returns a request as text for people, as `--dry-run` shows it. */
export const wireRequestText = ({ method, url, body }: WireRequest) =>
  `${method} ${url}\n${body === undefined ? "" : `${JSON.stringify(body, null, 2)}\n`}`;
