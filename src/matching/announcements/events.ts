/** The events about the vulnerabilities of images. */
import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  AffectedImageSchema,
  ImageVulnerabilitiesSchema,
  type AffectedImage_Reason as Reason,
} from "../../../schema/gen/platform/events/v2/occurrences_pb.js";
import { FindingSeverity } from "../../../schema/gen/platform/registry/findings/v2/findings_pb.js";
import { parentOf } from "../../aip/uid_path.ts";
import type { CompleteEvent } from "../../outbox/outbox.ts";
import type { Detail, ImageRow } from "./read.ts";
import { type Announced, idsOf, shownId, type Vulnerability } from "./vulnerabilities.ts";

/** The types of the event about one vulnerability of an image, and of the event about several. */
const types = {
  affected: [
    "api.platform.registry.image.affected.v1",
    "api.platform.registry.image.affected.summary.v1",
  ],
  no_longer_affected: [
    "api.platform.registry.image.no_longer_affected.v1",
    "api.platform.registry.image.no_longer_affected.summary.v1",
  ],
} as const;
const stillType = "api.platform.registry.image.still_affected.v1";

/** The most vulnerabilities of an image that have an event each, if they begin or end at once. */
const maxSingle = 10;

/** The most vulnerabilities in one event. */
const maxTogether = 200;

/** The most tags and packages in an event about one vulnerability, and the packages of each if there are several. */
const maxShown = 20;
const maxPackages = 3;

/** An image, and its tags with the time since when each leads to it. */
export interface Image extends Omit<ImageRow, "tags"> {
  tags: [name: string, since: number][];
}

/** The use of an image, and the one that replaces it. */
export interface Use {
  pull?: { time: number; identities: number } | undefined;
  clean?: { tag: string; digest: string } | undefined;
}

type Body = MessageInitShape<typeof AffectedImageSchema>;

/** A vulnerability of an image in an event: its row, and its part of the body. */
export interface Entry {
  announced: Announced;
  /** The use of the image, which is the same for all of its vulnerabilities. */
  pull?: Use["pull"];
  body: Pick<
    Body,
    | "vulnerabilityId"
    | "aliases"
    | "severity"
    | "packages"
    | "packageCount"
    | "cleanImage"
    | "reason"
  >;
}

/** The digests of an image, and of the image indexes that contain it. */
export const digestsOf = ({ digest, indexDigests }: Image): string[] => [
  digest,
  ...(JSON.parse(indexDigests) as string[]),
];

const imageFields = ({ repo, repoName, digest, tags, tagCount }: Image) => ({
  ...{ repoUid: repo, repoName, digest, tagCount },
  tags: tags.slice(0, maxShown).map(([name]) => name),
});

const severityName = (severity: number) =>
  (FindingSeverity[severity] ?? FindingSeverity[FindingSeverity.UNKNOWN] ?? "").toLowerCase();

function comparePackages(a: Detail, b: Detail): number {
  const textOf = (one: Detail) => JSON.stringify([one.packageName, one.packageVersion, one.purl]);
  return textOf(a) < textOf(b) ? -1 : 1;
}

/** A vulnerability that now affects the image. `details` are its findings that no statement has ended. */
export function affectedEntry(
  image: Image,
  { findings }: Vulnerability,
  details: Detail[],
  { pull, clean }: Use,
): Entry {
  const vulnerability = shownId(findings);
  const severity = Math.max(...details.map((one) => one.severity));
  return {
    announced: { imageUid: image.uid, vulnerability, severity, ids: idsOf(findings) },
    pull,
    body: {
      vulnerabilityId: vulnerability,
      aliases: aliasesOf(
        vulnerability,
        findings.flatMap((one) => [one.vulnerabilityId, ...one.aliases]),
      ),
      severity,
      packages: details
        .toSorted(comparePackages)
        .slice(0, maxShown)
        .map((one) => ({
          ...{ name: one.packageName, version: one.packageVersion, purl: one.purl },
          ...{ fixedVersions: one.fixVersions, foundBy: one.foundBy },
        })),
      packageCount: details.length,
      ...(clean ? { cleanImage: clean } : {}),
    },
  };
}

/** An announced vulnerability that passes from one image to another. */
export const carriedEntry = (announced: Announced): Entry => {
  const { vulnerability, severity, ids } = announced;
  return {
    announced,
    body: { vulnerabilityId: vulnerability, aliases: aliasesOf(vulnerability, ids), severity },
  };
};

/** The end of an announced vulnerability. */
export const endedEntry = (announced: Announced, reason: Reason): Entry => {
  const entry = carriedEntry(announced);
  return { ...entry, body: { ...entry.body, reason } };
};

/** Ids of findings can be written in different ways. */
function aliasesOf(own: string, ids: string[]): string[] {
  const byId = new Map(ids.map((id) => [id.toUpperCase(), id]));
  byId.delete(own.toUpperCase());
  return [...byId.values()].sort();
}

/**
 * The events about vulnerabilities of an image that begin or end at once: an event about each, or one about all. `isPart`
 * says that other pieces are about the same image.
 */
export function eventsOf(
  kind: keyof typeof types,
  image: Image,
  all: Entry[],
  isPart: boolean,
): CompleteEvent[] {
  const [single, together] = types[kind];
  if (all.length > maxSingle || (isPart && all.length > 1))
    return togetherEvents(together, image, all);
  return all.map((entry) => {
    const { vulnerability, severity } = entry.announced;
    const extensions = { vulnerability: vulnerability.toUpperCase(), severity };
    const message = { ...imageFields(image), ...pullFields(entry), ...entry.body };
    return toEvent(single, image, extensions, { desc: AffectedImageSchema, message });
  });
}

/** The events about vulnerabilities that pass from one image to another, because its last tag has moved there. */
export const stillEvents = (from: Image, to: Image, all: Entry[]): CompleteEvent[] =>
  togetherEvents(stillType, to, all, from.digest);

function togetherEvents(
  type: string,
  image: Image,
  all: Entry[],
  previousDigest = "",
): CompleteEvent[] {
  const sorted = all.toSorted((a, b) => rankOf(b.announced) - rankOf(a.announced));
  const parts = Array.from({ length: Math.ceil(sorted.length / maxTogether) }, (_, part) =>
    sorted.slice(part * maxTogether, (part + 1) * maxTogether),
  );
  return parts.map((part) => {
    const severity = part[0]?.announced.severity ?? 0;
    const message = {
      ...imageFields(image),
      ...{ severity, previousDigest },
      ...pullFields(part[0]),
      vulnerabilities: part.map(({ body }) => ({
        ...body,
        packages: body.packages?.slice(0, maxPackages) ?? [],
      })),
    };
    return toEvent(type, image, { severity }, { desc: ImageVulnerabilitiesSchema, message });
  });
}

/** An unknown severity can be a critical one, so only that comes before it. No minimum of a subscription leaves it out. */
const rankOf = ({ severity }: Announced) =>
  severity <= FindingSeverity.UNKNOWN ? FindingSeverity.CRITICAL - 0.5 : severity;

const pullFields = ({ pull }: Pick<Entry, "pull"> = {}) =>
  pull ? { lastPullTime: timestampFromMs(pull.time), pullerCount: pull.identities } : {};

/** The platform itself is the actor. */
const toEvent = (
  type: string,
  { uid, repo, digest }: Image,
  { severity, ...extensions }: { severity: number; vulnerability?: string },
  body: NonNullable<CompleteEvent["body"]>,
): CompleteEvent => ({
  ...{ type, path: "/registry/v2/findings", audience: "customer" },
  actor: { identity: "", act: {} },
  subject: uid,
  group: parentOf(repo),
  image: { repo, digest },
  extensions: { ...extensions, severity: severityName(severity) },
  body,
});
