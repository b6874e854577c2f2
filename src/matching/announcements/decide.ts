/** Decides which vulnerabilities have begun or ended, with their VEX statements, and makes the events about them. */
import { AffectedImage_Reason as Reason } from "../../../schema/gen/platform/events/v2/occurrences_pb.js";
import { VexStatus } from "../../../schema/gen/platform/registry/findings/v2/findings_pb.js";
import type { CompleteEvent } from "../../outbox/outbox.ts";
import type { MatchContext } from "../context.ts";
import { vexOf } from "../vex.ts";
import {
  affectedEntry,
  carriedEntry,
  digestsOf,
  type Entry,
  endedEntry,
  eventsOf,
  type Image,
  stillEvents,
} from "./events.ts";
import type { Work } from "./plan.ts";
import { type Detail, selectDetails } from "./read.ts";
import type { Carried } from "./replaced.ts";
import { readUses } from "./uses.ts";
import { type Announced, changedIds } from "./vulnerabilities.ts";

/** The rows and events that a piece writes. */
export interface Changes {
  events: CompleteEvent[];
  added: Announced[];
  renamed: Announced[];
  removed: Announced[];
}

/** Decides the work of a piece. `unfinished` is the image that the next piece continues. */
export async function decide(
  context: MatchContext,
  works: Work[],
  carried: Carried[],
  unfinished: string | undefined,
): Promise<Changes> {
  const details = await readDetails(context, works);
  const decided = works.map((work) => ({ ...work, ...openOf(context, work, details) }));
  const isBegun = ({ open, vulnerability }: (typeof decided)[number]) =>
    open.length > 0 && vulnerability.announced.length === 0;
  const uses = await readUses(context.db, decided.filter(isBegun));
  const changes: Changes = {
    events: carriedEvents(carried),
    added: carried.map(({ after }) => after),
    renamed: [],
    removed: carried.map(({ before }) => before),
  };
  for (const [image, ofImage] of Map.groupBy(decided, (one) => one.image)) {
    const entries: Record<"affected" | "ended", Entry[]> = { affected: [], ended: [] };
    for (const one of ofImage) {
      const { vulnerability, state, open, reason } = one;
      const isAffected = state === "affected" || open.length > 0;
      for (const announced of vulnerability.announced) {
        const ids = changedIds(vulnerability, announced);
        if (isAffected && ids) changes.renamed.push({ ...announced, ids });
        if (isAffected) continue;
        changes.removed.push(announced);
        entries.ended.push(endedEntry(announced, reason));
      }
      if (!isBegun(one)) continue;
      const begun = affectedEntry(image, vulnerability, open, uses(image, vulnerability));
      changes.added.push(begun.announced);
      entries.affected.push(begun);
    }
    const isPart = unfinished === image.uid || ofImage.some(({ isContinued }) => isContinued);
    changes.events.push(...eventsOf("affected", image, entries.affected, isPart));
    changes.events.push(...eventsOf("no_longer_affected", image, entries.ended, isPart));
  }
  return changes;
}

function carriedEvents(carried: Carried[]): CompleteEvent[] {
  const pairs = Map.groupBy(carried, ({ from, to }) => `${from.uid} ${to.uid}`);
  return [...pairs.values()].flatMap((all) => {
    const [{ from, to }] = all as [Carried];
    return stillEvents(
      from,
      to,
      all.map(({ after }) => carriedEntry(after)),
    );
  });
}

/** The details of the findings that decide, or that an event shows. */
async function readDetails({ db }: MatchContext, works: Work[]): Promise<Map<string, Detail>> {
  const uids = works
    .filter(({ state, vulnerability: { announced } }) =>
      state === "affected" ? announced.length === 0 : state === "undecided",
    )
    .flatMap(({ vulnerability: { findings } }) => findings)
    .filter(({ unknown }) => unknown === "")
    .map(({ uid }) => uid);
  const rows = uids.length === 0 ? [] : await selectDetails(db, uids);
  return new Map(rows.map((row) => [row.uid, row]));
}

/** The findings of the work that no statement has ended, and the reason if there is none. */
function openOf(
  { config, purls }: MatchContext,
  { image, vulnerability: { findings } }: Work,
  details: Map<string, Detail>,
): { open: Detail[]; reason: Reason } {
  const { host } = new URL(config.registryUrl);
  const tags = image.tags.map(([name]) => name);
  const statuses = new Set<VexStatus>();
  const open = findings
    .flatMap(({ uid }) => details.get(uid) ?? [])
    .filter(({ candidates, purl, packageName, packageVersion }) => {
      const read = purl === "" ? undefined : purls.readPurl(purl);
      const named = { repoName: image.repoName, packageName, packageVersion };
      const { statement } = vexOf(
        candidates,
        { ...named, digests: digestsOf(image), tags, package: read },
        host,
        purls,
      );
      const status = statement?.status ?? VexStatus.UNSPECIFIED;
      statuses.add(status);
      return status !== VexStatus.NOT_AFFECTED && status !== VexStatus.FIXED;
    });
  return { open, reason: reasonOf(image, findings.length, statuses) };
}

function reasonOf({ tagCount }: Image, findingCount: number, statuses: Set<VexStatus>): Reason {
  if (tagCount === 0) return Reason.UNTAGGED;
  if (findingCount === 0) return Reason.NOT_FOUND;
  if (statuses.has(VexStatus.FIXED)) return Reason.FIXED;
  return statuses.has(VexStatus.NOT_AFFECTED) ? Reason.NOT_AFFECTED : Reason.UNKNOWN;
}
