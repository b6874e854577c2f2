/** Converts statements to advisories: the subject of each, and its changes to the stored data. */
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { StoredSeverity } from "../../../schema/tables/vulnerabilities/advisories.ts";
import type {
  StoredComponent,
  StoredCsaf,
  StoredVulnerability,
} from "../../../schema/tables/vulnerabilities/vex_subjects.ts";
import { failedPrecondition } from "../../aip/errors.ts";
import { sha256 } from "../../aip/sha256.ts";
import { newUid } from "../../aip/uid_path.ts";
import { canonicalJson } from "../canonical_json.ts";
import type { AdvisoryStep } from "../osv/record.ts";
import { componentOf, toAdvisoryStep, type VexStatement } from "./statement.ts";

/** More would make a page of advisories too large for a response. */
const maxEvents = 200;

/** The statements about one vulnerability in one product or part, in their given order. */
export interface VexSubject {
  identity: string;
  advisoryId: string;
  statements: [VexStatement, ...VexStatement[]];
}

/** The stored data about the advisory of a subject. */
export interface StoredSubjectAdvisory {
  uid: string;
  advisoryId: string;
  updateTime: number;
  sourceDigest: string;
  /** The time when a person last changed the fields of the row. Null if no one did. */
  editTime: number | null;
  aliases: string[];
  severities: StoredSeverity[];
  /** Null if the advisory does not come from statements. */
  identity: string | null;
  vulnerability: StoredVulnerability | null;
  product: StoredComponent | null;
  subcomponent: StoredComponent | null;
  csaf: StoredCsaf | null;
  published: string | null;
  /** The events from statements. */
  events: { type: number; time: number; detail: JsonValue }[];
}

/** An event to add. */
export interface EventAddition extends AdvisoryStep {
  uid: string;
  author: string;
}

/** An advisory to create or add to: the values of its row. Times are in milliseconds. */
export interface VexChange {
  uid: string;
  advisoryId: string;
  createTime: number;
  updateTime: number;
  author: string;
  artifactName: string;
  artifactType: string;
  artifactArchitecture: string;
  componentName: string;
  componentLocation: string;
  componentType: string;
  aliases: string[];
  severities: StoredSeverity[];
  /** The new sourceDigest of the row, and the current one. Null if there is no row. */
  digest: string;
  before: string | null;
  identity: string;
  vulnerability: StoredVulnerability;
  product: StoredComponent;
  subcomponent: StoredComponent | null;
  csaf: StoredCsaf | null;
  published: string;
  additions: EventAddition[];
  /** Whether only the version of the CSAF document differs, which does not change the advisory. */
  isRelease: boolean;
}

/** Groups statements by their subjects. */
export async function groupBySubject(statements: VexStatement[]): Promise<VexSubject[]> {
  const subjects = new Map<string, VexSubject>();
  for (const statement of statements) {
    const { vulnerability, product, between, subcomponent } = statement;
    const parts = subcomponent ? [...between, subcomponent.key] : [];
    const identity = await sha256(canonicalJson([vulnerability.name, product.key, ...parts]));
    const known = subjects.get(identity);
    if (known) known.statements.push(statement);
    else
      subjects.set(identity, {
        identity,
        advisoryId: idOf(statement, identity),
        statements: [statement],
      });
  }
  return [...subjects.values()];
}

/** Twelve letters of the identity, for ids that would otherwise be the same. */
const idLetters = (identity: string) =>
  BigInt(`0x${identity.slice(0, 16)}`)
    .toString(36)
    .padStart(13, "0")
    .slice(-12);

const toIdText = (text: string, longest: number) =>
  text
    .replace(/[^A-Za-z0-9._-]+/g, "-")
    .slice(0, longest)
    .replace(/^[-.]+|[-.]+$/g, "");

/** Such as `CVE-2024-1234-nginx-0f3k2x9q1abc`. It is the same in every document and organization. */
function idOf({ vulnerability, product }: VexStatement, identity: string): string {
  const words = [
    toIdText(vulnerability.name, 100),
    toIdText(product.name, 100),
    idLetters(identity),
  ];
  return words.filter((word) => word !== "").join("-");
}

/**
 * The change that a subject's statements make to the stored data. Undefined if they contain nothing new.
 * Throws FAILED_PRECONDITION if the advisory belongs to another source, or would get too many events.
 */
export async function vexChange(
  parent: string,
  subject: VexSubject,
  stored: StoredSubjectAdvisory | undefined,
  now: number,
): Promise<VexChange | undefined> {
  const { advisoryId, identity, statements } = subject;
  if (stored && stored.identity !== identity) {
    const text = `the advisory ${advisoryId} exists already, and does not come from VEX statements about this product`;
    throw failedPrecondition("ADVISORY_ID_TAKEN", text, stored.uid);
  }
  const uid = stored?.uid ?? newUid(parent);
  const additions = await additionsOf(uid, statements, stored?.events ?? [], () => {
    const text = `the advisory ${advisoryId} can have at most ${maxEvents} events`;
    throw failedPrecondition("TOO_MANY_EVENTS", text, uid);
  });
  const last = Math.max(...(stored?.events.map(({ time }) => time) ?? []), 0);
  const newest = statements.reduce((a, b) => (b.time >= a.time ? b : a));
  const isNewest = newest.time > last || (newest.time === last && additions.length > 0);
  const { summary, details, references } = newest;
  const published = await sha256(canonicalJson({ summary, details, references }));
  const facts = factsOf(
    statements,
    { ...newest, published },
    isNewest ? undefined : stored,
    stored,
  );
  const isRelease =
    additions.length === 0 && stored !== undefined && comparable(facts) === comparable(stored);
  if (isRelease && canonicalJson(toJson(facts.csaf)) === canonicalJson(toJson(stored.csaf)))
    return undefined;
  const change = {
    uid,
    advisoryId,
    ...namesOf(statements[0]),
    createTime: Math.min(...statements.map(({ time }) => time)),
    updateTime: Math.max(now, (stored?.updateTime ?? 0) + 1),
    ...facts,
    before: stored?.sourceDigest ?? null,
    identity,
    additions,
    isRelease,
  };
  const state = toJson({ before: change.before, facts, additions });
  return { ...change, digest: await sha256(canonicalJson(state)) };
}

/** The names of the product and its part in the first statement. */
function namesOf(statement: VexStatement) {
  const { author, product } = statement;
  const component = componentOf(statement);
  return {
    author,
    artifactName: product.name,
    artifactType: product.artifactType,
    artifactArchitecture:
      product.architecture === "noarch" ? component.architecture : product.architecture,
    componentName: component.name,
    componentLocation: component.location,
    componentType: component.componentType,
  };
}

/**
 * The documents of which the stored data comes from a final one with a higher version. A draft or an interim
 * document, which a person may import late, does not replace it (CSAF 2.0, section 3.2.1.12.7).
 */
export function outdatedDrafts(
  subjects: VexSubject[],
  stored: StoredSubjectAdvisory[],
): Set<string> {
  const known = new Map(stored.map((row) => [row.advisoryId, row.csaf]));
  const outdated = new Set<string>();
  for (const { advisoryId, statements } of subjects) {
    const finals = [known.get(advisoryId), ...statements.map(({ csaf }) => csaf)].flatMap((csaf) =>
      csaf?.document.status === "final" ? [csaf.document] : [],
    );
    for (const { csaf, path } of statements) {
      if (csaf && finals.some((final) => isReplaced(csaf.document, final)))
        outdated.add(documentAt(path));
    }
  }
  return outdated;
}

/** `documents[3]` of the place of a statement in it. */
export const documentAt = (path: string): string => /^\w+\[\d+\]/.exec(path)?.[0] ?? path;

const isReplaced = (draft: StoredCsaf["document"], final: StoredCsaf["document"]) =>
  draft.status !== "final" &&
  draft.namespace === final.namespace &&
  draft.id === final.id &&
  draft.version.localeCompare(final.version, "en", { numeric: true }) < 0;

/** The data from the newest statement, and the aliases from all of them. */
type VexFacts = Pick<
  VexChange,
  "aliases" | "severities" | "vulnerability" | "product" | "subcomponent" | "csaf" | "published"
> & { [member: string]: JsonValue };

/** `newer` is the stored data if it is newer than every statement. */
function factsOf(
  statements: VexStatement[],
  newest: VexStatement & { published: string },
  newer: StoredSubjectAdvisory | undefined,
  stored: StoredSubjectAdvisory | undefined,
): VexFacts {
  const statedAliases = statements.flatMap(({ vulnerability: { name, aliases } }) => [
    name,
    ...(aliases ?? []),
  ]);
  const aliases = [...new Set([...(stored?.aliases ?? []), ...statedAliases])].slice(0, maxAliases);
  const severities = newer || newest.severities.length === 0 ? stored?.severities : undefined;
  return {
    aliases: stored && stored.editTime !== null ? stored.aliases : aliases,
    severities: severities ?? newest.severities,
    vulnerability: newer?.vulnerability ?? newest.vulnerability,
    product: newer?.product ?? newest.product.stored,
    subcomponent: newer ? newer.subcomponent : (newest.subcomponent?.stored ?? null),
    csaf: newer ? newer.csaf : newest.csaf,
    published: newer?.published ?? newest.published,
  } as VexFacts;
}

const maxAliases = 200;

/** To TypeScript an interface is never a JsonObject, whatever its members are. */
const toJson = (value: unknown) => value as JsonObject;

/** The facts as a text, without the document that they come from. */
function comparable(facts: VexFacts | StoredSubjectAdvisory): string {
  const { aliases, severities, vulnerability, product, subcomponent, csaf, published } =
    facts as StoredSubjectAdvisory;
  const { list, remediations } = csaf ?? {};
  return canonicalJson(
    toJson({
      aliases,
      severities,
      vulnerability,
      product,
      subcomponent,
      list,
      remediations,
      published,
    }),
  );
}

/**
 * The events that the statements add. A statement adds none if it repeats the previous one or the next one in
 * time. If several statements have the same time, the later one counts: it moves to the next millisecond.
 */
async function additionsOf(
  uid: string,
  statements: VexStatement[],
  events: StoredSubjectAdvisory["events"],
  refuse: () => never,
): Promise<EventAddition[]> {
  const timeline = events.map(({ type, time, detail }) => ({ time, key: eventKey(type, detail) }));
  const additions: EventAddition[] = [];
  for (const statement of statements) {
    const { type, detail, time: said } = toAdvisoryStep(statement);
    const key = eventKey(type, detail);
    let time = said;
    let before = latestUntil(timeline, time);
    while (before?.time === time && before.key !== key) {
      time += 1;
      before = latestUntil(timeline, time);
    }
    const after = earliestAfter(timeline, time);
    if (before?.key === key || after?.key === key) continue;
    timeline.push({ time, key });
    if (timeline.length > maxEvents) refuse();
    const hash = await sha256(canonicalJson({ uid, type, time, detail }));
    const { author } = statement;
    additions.push({ uid: `${uid}/${hash.slice(0, 16)}`, type, time, detail, author });
  }
  return additions;
}

const eventKey = (type: number, detail: JsonValue) => canonicalJson([type, detail]);

interface TimelineEntry {
  time: number;
  key: string;
}

const latestUntil = (timeline: TimelineEntry[], until: number) =>
  timeline.reduce<TimelineEntry | undefined>(
    (best, entry) =>
      entry.time <= until && entry.time >= (best?.time ?? entry.time) ? entry : best,
    undefined,
  );

const earliestAfter = (timeline: TimelineEntry[], after: number) =>
  timeline.reduce<TimelineEntry | undefined>(
    (best, entry) =>
      entry.time > after && entry.time < (best?.time ?? Number.MAX_VALUE) ? entry : best,
    undefined,
  );
