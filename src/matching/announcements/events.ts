/** The events about the vulnerabilities of images. */
import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  AffectedImageSchema,
  type AffectedImage_Reason as Reason,
} from "../../../schema/gen/platform/events/v2/occurrences_pb.js";
import { FindingSeverity } from "../../../schema/gen/platform/registry/findings/v2/findings_pb.js";
import { parentOf } from "../../aip/uid_path.ts";
import type { CompleteEvent } from "../../outbox/outbox.ts";
import type { Detail, ImageRow } from "./read.ts";
import { type Announced, idsOf, shownId, type Vulnerability } from "./vulnerabilities.ts";

const affectedType = "api.platform.registry.image.affected.v1";
const endedType = "api.platform.registry.image.no_longer_affected.v1";

/** The most tags and packages in an event. */
const maxShown = 20;

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

/** The event about a vulnerability that now affects the image. `details` are its findings that no statement has ended. */
export function affectedEvent(
  image: Image,
  { findings }: Vulnerability,
  details: Detail[],
  { pull, clean }: Use,
): { event: CompleteEvent; announced: Announced } {
  const vulnerability = shownId(findings);
  const ids = idsOf(findings);
  const severity = Math.max(...details.map((one) => one.severity));
  const body: Body = {
    ...imageFields(image),
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
    ...(pull ? { lastPullTime: timestampFromMs(pull.time), pullerCount: pull.identities } : {}),
    ...(clean ? { cleanImage: clean } : {}),
  };
  const announced = { imageUid: image.uid, vulnerability, severity, ids };
  return { event: toEvent(affectedType, image, announced, body), announced };
}

/** The event about the end of an announced vulnerability. */
export function endedEvent(image: Image, announced: Announced, reason: Reason): CompleteEvent {
  const { vulnerability, severity, ids } = announced;
  return toEvent(endedType, image, announced, {
    ...imageFields(image),
    ...{ vulnerabilityId: vulnerability, aliases: aliasesOf(vulnerability, ids), severity, reason },
  });
}

/** Ids of findings can be written in different ways. */
function aliasesOf(own: string, ids: string[]): string[] {
  const byId = new Map(ids.map((id) => [id.toUpperCase(), id]));
  byId.delete(own.toUpperCase());
  return [...byId.values()].sort();
}

/** The platform itself is the actor. */
const toEvent = (
  type: string,
  { uid, repo, digest }: Image,
  { vulnerability, severity }: Announced,
  message: Body,
): CompleteEvent => ({
  ...{ type, path: "/registry/v2/findings", audience: "customer" },
  actor: { identity: "", act: {} },
  subject: uid,
  group: parentOf(repo),
  image: { repo, digest },
  extensions: { vulnerability: vulnerability.toUpperCase(), severity: severityName(severity) },
  body: { desc: AffectedImageSchema, message },
});
