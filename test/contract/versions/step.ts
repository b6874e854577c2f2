/** The parts of a history: steps, each in the terms of both versions. */
import type { JsonObject } from "@bufbuild/protobuf";
import fc from "fast-check";
import { type RoleName, roleNames } from "./world.ts";

/** Kinds of things that steps make and name. */
export type StepKind =
  | "group"
  | "role"
  | "identity"
  | "binding"
  | "mapping"
  | "provider"
  | "repo"
  | "tag"
  | "invite"
  | "subscription";

/** The index of a resource among those created so far, wrapped around, or one that does not exist. */
export type Ref = { nth: number } | "unknown" | "malformed";

/** Something to say to either version. */
interface Saying {
  rpc: string;
  request: JsonObject;
}

/** A step in the words of both versions, once it is known which uids are meant. */
interface Said {
  v1: Saying;
  v2: Saying;
  /** Fields of version 1 as version 2 calls them, in violations. */
  names: Record<string, string>;
  /** The resource that a successful step creates. */
  makes?: StepKind;
}

/** The uid of what a Ref names, in one world. */
type Resolve = (kind: StepKind, ref: Ref) => string;

export interface Step {
  /** `replace role`. */
  does: string;
  /** The resource that the step is about, as a List names it. */
  about: StepKind | "association";
  /** For whoever reads a history that failed. */
  what: string;
  who: RoleName;
  request: (uid: Resolve) => Said;
}

/** Mostly what succeeds, now and then what is refused. */
export const mostlyValid = <T>(good: fc.Arbitrary<T>, ...bad: T[]): fc.Arbitrary<T> =>
  fc.oneof({ weight: 30, arbitrary: good }, { weight: 1, arbitrary: fc.constantFrom(...bad) });

export const ref: fc.Arbitrary<Ref> = mostlyValid<Ref>(
  fc.nat(4).map((nth) => ({ nth })),
  "unknown",
  "malformed",
);
const who: fc.Arbitrary<RoleName> = fc.oneof(
  { weight: 12, arbitrary: fc.constant("owner" as const) },
  { weight: 3, arbitrary: fc.constantFrom(...roleNames) },
);
/** Few names, so that some are taken; one that no rule allows, and none. */
export const name = mostlyValid(
  fc.constantFrom("alpha", "beta", "gamma", "delta", "epsilon", "zeta"),
  "Not A Name\n",
  "",
);
export const text = fc.constantFrom("", "words", "Ünïcode, 100%");

/** A kind of step, of whatever values. */
export const step = <T>(
  does: string,
  about: Step["about"],
  values: fc.Arbitrary<T>,
  say: (values: T, uid: Resolve) => Said,
): fc.Arbitrary<Step> =>
  fc.record({ values, who }).map(({ values: given, who: caller }) => ({
    ...{ does, about, who: caller, what: `${does} ${JSON.stringify(given)}` },
    request: (uid) => say(given, uid),
  }));

/** Deletes one of a kind, by `id` and by `uid`. */
export const deletion = (kind: StepKind, v1: string, v2: string) =>
  step(`delete ${kind}`, kind, fc.record({ ref }), (given, uid) => ({
    v1: { rpc: v1, request: { id: uid(kind, given.ref) } },
    v2: { rpc: v2, request: { uid: uid(kind, given.ref) } },
    names: { id: "uid" },
  }));
