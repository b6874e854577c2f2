/** The parts of a history: steps, each in the terms of both versions. */
import type { JsonObject } from "@bufbuild/protobuf";
import fc from "fast-check";
import { type RoleName, roleNames } from "./world.ts";

/** The kinds of resources that steps create and name. */
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

/** A value for either version. */
interface Saying {
  rpc: string;
  request: JsonObject;
}

/** A step in the terms of both versions, once the referenced uids are known. */
interface Said {
  v1: Saying;
  v2: Saying;
  /** Field names of version 1 by those of version 2, in violations. */
  names: Record<string, string>;
  /** The resource that a successful step creates. */
  makes?: StepKind;
}

/** The uid of the resource that a Ref names, in one world. */
type Resolve = (kind: StepKind, ref: Ref) => string;

export interface Step {
  /** `replace role`. */
  does: string;
  /** The resource that the step is about, as a List names it. */
  about: StepKind | "association";
  /** A description for readers of a failed history. */
  what: string;
  who: RoleName;
  request: (uid: Resolve) => Said;
}

/** Mostly steps that succeed, and sometimes steps that are refused. */
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
/** A few names, so that some are already used. One breaks the rules, and one is empty. */
export const name = mostlyValid(
  fc.constantFrom("alpha", "beta", "gamma", "delta", "epsilon", "zeta"),
  "Not A Name\n",
  "",
);
export const text = fc.constantFrom("", "words", "Ünïcode, 100%");

/** A kind of step with any values. */
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

/** Deletes one resource of a kind, by `id` and by `uid`. */
export const deletion = (kind: StepKind, v1: string, v2: string) =>
  step(`delete ${kind}`, kind, fc.record({ ref }), (given, uid) => ({
    v1: { rpc: v1, request: { id: uid(kind, given.ref) } },
    v2: { rpc: v2, request: { uid: uid(kind, given.ref) } },
    names: { id: "uid" },
  }));
