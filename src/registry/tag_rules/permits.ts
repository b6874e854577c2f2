/**
 * The permission to change tags. All code that writes tags asks for a {@link Permit}, and only this file makes one. So no
 * way to change a tag can leave out the rules.
 */

import type { SQL } from "drizzle-orm";
import { Capability } from "../../../schema/gen/platform/capabilities/v1/capability_pb.js";
import { chunksOf } from "../../aip/chunks.ts";
import { isAtOrAbove } from "../../aip/uid_path.ts";
import type { Call } from "../../auth/call.ts";
import { type Caller, holds } from "../../auth/grants.ts";
import type { Statement } from "../../outbox/commit.ts";
import { decide, type Facts, isAbout, type Rule, type TagChange } from "./decide.ts";
import {
  type AskedImage,
  needsOf,
  type PushedImage,
  readFacts,
  rolesOf,
  selectEvidence,
} from "./evidence.ts";
import { matches } from "./patterns.ts";
import {
  isSome,
  type Refusal,
  type Refusals,
  recordOverride,
  refusalText,
  refused,
} from "./refusals.ts";
import { isAboutRepo, type RuleRow, requireSameRules, toRules } from "./stored_rules.ts";

/** A property that only this file sets. */
const permitted = Symbol("permitted");

/** The rules allow a change of tags, or someone overrides them. */
export interface Permit {
  readonly [permitted]: true;
  /** Statements before the change. They undo the batch if the rules have changed since they were read. */
  readonly before: Statement[];
  /** Statements after the change. They write the event of an override. */
  readonly events: Statement[];
  /** Statements after the history of the change. They mark its records as overridden. */
  readonly marks: Statement[];
}

/**
 * The permit of what follows from a change that the rules have allowed, such as the removal of what is left of a deleted
 * repository.
 */
export const allowedBefore: Permit = { [permitted]: true, before: [], events: [], marks: [] };

/** The changes of some tags of a repository. */
export interface Question {
  /** The uid of the repository. */
  repo: string;
  /** The rows of `selectRules`. */
  rules: RuleRow[];
  /** The image of a push. */
  pushed?: PushedImage;
  changes: Omit<TagChange, "repo">[];
  /** Why the caller makes the change although a rule refuses it. Empty to obey the rules. */
  overrideReason?: string;
  /** The error of a refusal. By default FAILED_PRECONDITION `TAG_RULE`. */
  refuse?: (refusals: Refusals) => Error;
}

/** The capability to change tags although a rule refuses it. */
export const overriding = [Capability.CAP_TAG_OVERRIDE];

/**
 * Decides about the changes. If a rule needs to know something about the digests, it takes one more round trip. Throws the
 * error of a refusal, unless the caller gives a reason and has the capability `tag.override` on the repository.
 */
export async function permitChanges(
  call: Call,
  caller: Caller,
  question: Question,
): Promise<Permit> {
  const [permit, refusals] = await askRules(call, caller, question);
  return settle(call, caller, question, permit, refusals);
}

/** Like {@link permitChanges}, with a permit for each change, so that each has its own mark in the history. */
export async function permitEach(
  call: Call,
  caller: Caller,
  question: Question,
): Promise<Permit[]> {
  const [permit, refusals] = await askRules(call, caller, question);
  return question.changes.map(({ tag }) => {
    const own = refusals.filter(({ change }) => change.tag === tag);
    return settle(call, caller, question, permit, own);
  });
}

/** The permit of those changes that no rule refuses, and why the others are refused, by their tags. Throws nothing. */
export async function permitAllowed(
  call: Call,
  caller: Caller,
  question: Question,
): Promise<[Permit, Map<string, string>]> {
  const [permit, refusals] = await askRules(call, caller, question);
  return [permit, new Map(refusals.map((one) => [one.change.tag, refusalText(one)]))];
}

/** The permit of the changes that no rule refuses, and the others. */
async function askRules(
  call: Call,
  caller: Caller,
  { repo, rules: rows, pushed, changes }: Question,
): Promise<[Permit, Refusal[]]> {
  const rules = toRules(rows);
  const guard = requireSameRules(call.db, isAboutRepo(repo), rules);
  const permit = { ...allowedBefore, before: [guard] };
  if (rules.length === 0) return [permit, []];
  const repoName = rows[0]?.repoName ?? "";
  const named = changes.map((change) => ({ ...change, repo: repoName }));
  const facts = await factsFor(call, caller, repo, rules, named, pushed);
  return [permit, named.flatMap((change) => refusalOf(rules, change, facts))];
}

/** The facts that the rules need for some changes. */
export async function factsFor(
  call: Call,
  caller: Caller,
  repo: string,
  rules: readonly Rule[],
  changes: readonly TagChange[],
  pushed?: PushedImage,
): Promise<Facts> {
  const needs = needsFor(rules, changes);
  const [row] = needs
    ? await selectEvidence(call.db, repo, askedOf(changes, pushed), call.now, needs)
    : [];
  const { host } = new URL(call.config.registryUrl);
  return readFacts(row, rolesOf(caller, repo), host, pushed);
}

/** The needs of the rules that are about one of the tags. A deletion needs nothing. */
const needsFor = (rules: readonly Rule[], changes: readonly TagChange[]) =>
  needsOf(
    rules.filter((rule) => rule.keep && changes.some((one) => one.to !== "" && isAbout(rule, one))),
  );

const askedOf = (changes: readonly TagChange[], pushed?: PushedImage): AskedImage[] => {
  const digests = new Set(changes.flatMap(({ from, to }) => [from, to]).filter(Boolean));
  return [...digests].map((digest) =>
    digest === pushed?.digest ? { digest, entries: pushed.entries } : { digest },
  );
};

function settle(
  call: Call,
  caller: Caller,
  { repo, overrideReason = "", refuse = refused }: Question,
  permit: Permit,
  refusals: Refusal[],
): Permit {
  if (!isSome(refusals)) return permit;
  const mayOverride = overrideReason !== "" && holds(caller, overriding, repo);
  if (!mayOverride) throw refuse(refusals);
  return { ...permit, ...recordOverride(call, caller, repo, refusals, overrideReason) };
}

/** A move of an import, with the uid of its repository. */
export interface ImportedChange extends TagChange {
  repoUid: string;
}

/** A move of an import, as it goes into the history of a tag. */
export interface ImportedMove {
  repoUid: string;
  repo: string;
  tag: string;
  digest: string;
  /** In milliseconds since 1970. */
  time: number;
}

/** The repositories whose evidence one batch reads. */
const reposOfBatch = 50;

/**
 * Decides about the moves of an import into several repositories of a group. `condition` is that of the rules that were
 * read. If a rule needs to know something about the digests, it takes more round trips. `moves` are all moves that go into
 * the history. Throws FAILED_PRECONDITION `TAG_RULE`.
 */
export async function permitImport(
  call: Call,
  caller: Caller,
  { rules: rows, condition }: { rules: RuleRow[]; condition: SQL },
  changes: readonly ImportedChange[],
  moves: readonly ImportedMove[],
): Promise<Permit> {
  const rules = toRules(rows);
  const permit: Permit = {
    ...allowedBefore,
    before: [requireSameRules(call.db, condition, rules)],
  };
  if (rules.length === 0) return permit;
  const { host } = new URL(call.config.registryUrl);
  const refusals = moves.flatMap((move) => pastRefusalOf(call, caller, rules, move));
  const needs = needsFor(rules, changes);
  for (const chunk of chunksOf([...Map.groupBy(changes, ({ repoUid }) => repoUid)], reposOfBatch)) {
    const [first, ...rest] = chunk.flatMap(([repo, ofRepo]) =>
      needs ? [selectEvidence(call.db, repo, askedOf(ofRepo), call.now, needs)] : [],
    );
    const evidence = first ? await call.db.batch([first, ...rest]) : [];
    for (const [index, [repo, ofRepo]] of chunk.entries()) {
      const facts = await readFacts(evidence[index]?.[0], rolesOf(caller, repo), host);
      const own = rules.filter(({ parent }) => isAtOrAbove(parent, repo));
      refusals.push(...ofRepo.flatMap((change) => refusalOf(own, change, facts)));
    }
  }
  if (isSome(refusals)) throw refused(refusals);
  return permit;
}

/** A move is as old as the import says, so the time is believed of those who could override the rule. */
function pastRefusalOf(
  { now }: Call,
  caller: Caller,
  rules: readonly Rule[],
  { repoUid, repo, tag, digest, time }: ImportedMove,
): Refusal[] {
  if (time >= now) return [];
  const rule = rules.find(
    (one) => isAtOrAbove(one.parent, repoUid) && dependsOnTimes(one, { repo, tag }),
  );
  if (!rule || holds(caller, overriding, repoUid)) return [];
  const change = { repo, tag, from: "", to: digest };
  return [
    { change, rule, reason: "it depends on when the tag moved, so no past move can be added" },
  ];
}

/** Whether the rule reads the times of the moves of the tag: to serve it, or to promote images from it. */
function dependsOnTimes(rule: Rule, { repo, tag }: Pick<TagChange, "repo" | "tag">): boolean {
  if (rule.serve) return isAbout(rule, { repo, tag });
  const { condition } = rule.keep ?? {};
  if (condition?.case !== "promotion" || condition.value.hours === 0) return false;
  const from = { include: [condition.value.from], exclude: [] };
  return (
    matches(from, tag) && matches({ include: rule.includeRepos, exclude: rule.excludeRepos }, repo)
  );
}

function refusalOf(rules: readonly Rule[], change: TagChange, facts: Facts): Refusal[] {
  const decision = decide(rules, change, facts);
  return decision.isAllowed ? [] : [{ change, rule: decision.rule, reason: decision.reason }];
}
