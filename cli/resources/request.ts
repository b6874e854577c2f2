/** The request of a create or an update, from a file and flags; and how it looks on the wire. */
import { usage } from "../failure.ts";
import { fieldsOf } from "./catalog.ts";
import type { Given, Json } from "./flags.ts";
import { readInput } from "./input.ts";
import { isUid, type Place, referenceOf, uidOf } from "./names.ts";
import type { Platform, Wire } from "./platform.ts";

/** A resource in JSON, from a file or `-`. Throws a USAGE Failure for what is no such thing. */
export function readResource(file: string, message: string): Json {
  const name = file === "-" ? "standard input" : file;
  const value = readObject(file, name);
  const known = fieldsOf(message).map((field) => field.name);
  const unknown = Object.keys(value).filter((key) => !known.includes(key));
  if (unknown.length > 0) {
    throw usage(`${name} has ${unknown.join(", ")}. Fields there are: ${known.join(", ")}.`);
  }
  const output = fieldsOf(message).filter(({ isOutput }) => isOutput);
  // A resource as `get --json` printed it can be sent back.
  return Object.fromEntries(
    Object.entries(value).filter(([key]) => !output.some((field) => field.name === key)),
  );
}

/** A JSON object from a file, or from standard input where it is `-`. Throws a USAGE Failure. */
export function readObject(file: string, name = file): Json {
  try {
    const value: unknown = JSON.parse(readInput(file).toString("utf8"));
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Json;
  } catch (error) {
    throw usage(`Cannot read ${name}: ${error instanceof Error ? error.message : String(error)}`);
  }
  throw usage(`${name} holds no JSON object.`);
}

/** Uids in place of names, where a flag names another resource. */
export async function withUids(platform: Platform, given: Given, place: Place): Promise<Given> {
  const done: Given = new Map();
  for (const [path, value] of given) {
    const resource = referenceOf(path.slice(path.lastIndexOf(".") + 1));
    const isName = resource && typeof value === "string" && value !== "" && !isUid(value);
    done.set(
      path,
      isName ? await uidOf(platform, resource, value, { ...place, isLoose: true }) : value,
    );
  }
  return done;
}

/** The fields that change: those of the file whole, and each that a flag names. */
export function maskOf(file: Json, given: Given): string[] {
  const whole = Object.keys(file);
  const paths = [...given.keys()].filter((path) => !whole.includes(path.split(".")[0] ?? ""));
  // A message that is cleared and set again is set as a whole.
  return [
    ...whole,
    ...paths.filter((path) => !paths.some((other) => path.startsWith(`${other}.`))),
  ];
}

/** A request for people, as `--dry-run` shows it. */
export const wireText = ({ method, url, body }: Wire) =>
  `${method} ${url}\n${body === undefined ? "" : `${JSON.stringify(body, null, 2)}\n`}`;
