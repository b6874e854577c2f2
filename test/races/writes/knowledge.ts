/** Writes about vulnerabilities: imports of every format, their purge, and manual changes in version 1. */
import type { JsonObject } from "@bufbuild/protobuf";
import { csafOf, osvOf, vexOf } from "../fixtures.ts";
import type { RaceWorld } from "../world.ts";
import { type Write, writesOf } from "./write.ts";

const day = (month: number) => `2026-0${month}-01T00:00:00Z`;

const records =
  (...given: JsonObject[]) =>
  ({ organization: parent }: RaceWorld) => ({ parent, records: given });
const documents =
  (...given: JsonObject[]) =>
  ({ organization: parent }: RaceWorld) => ({ parent, documents: given });

const imports: Write[] = [
  ...writesOf("OsvRecordsService/ImportOsvRecords", {
    newer: records(osvOf("OSV-1", day(2))),
    "newest, and a new one": records(
      osvOf("OSV-1", day(3), "sample", "1.3"),
      osvOf("OSV-2", day(1)),
    ),
    "of another package": records(osvOf("OSV-1", day(4), "other")),
    "a new one": records(osvOf("OSV-2", day(2), "solo")),
    "two new ones": records(osvOf("OSV-2", day(3), "solo", "1.4"), osvOf("OSV-3", day(1), "solo")),
  }),
  ...writesOf("OpenVexDocumentsService/ImportOpenVexDocuments", {
    "that it is affected": documents(vexOf("CVE-2026-1001", 2, "affected")),
    "that it is fixed": documents(vexOf("CVE-2026-1001", 3, "fixed")),
    "of a new one": documents(vexOf("CVE-2026-2001", 2, "affected")),
    "of the one there is and a new one": documents(
      vexOf("CVE-2026-1001", 4, "affected"),
      vexOf("CVE-2026-2001", 3, "fixed"),
    ),
    "of a new one and the one there is": documents(
      vexOf("CVE-2026-2001", 3, "fixed"),
      vexOf("CVE-2026-1001", 4, "affected"),
    ),
  }),
  ...writesOf("CsafDocumentsService/ImportCsafDocuments", {
    "of the one there is": documents(csafOf("CVE-2026-1001", 5)),
    "of a new one": documents(csafOf("CVE-2026-2001", 4)),
  }),
];

const purges: Write[] = writesOf("AdvisoryPurgesService/PurgeAdvisories", {
  "of everything": ({ organization: parent }) => ({ parent, force: true }),
  "of records": ({ organization: parent }) => ({
    ...{ parent, force: true },
    source: "ADVISORY_SOURCE_OSV",
  }),
  "of statements": ({ organization: parent }) => ({
    ...{ parent, force: true },
    source: "ADVISORY_SOURCE_VEX",
  }),
});

const v1 = "vulnerabilities.v1.Advisories";
const named = (advisoryId: string, artifactName: string) => ({
  ...{ advisoryId, artifactName, artifactType: "apk" },
});
const create =
  (advisoryId: string, artifactName: string) =>
  ({ organization: parentId }: RaceWorld) => ({
    parentId,
    advisory: named(advisoryId, artifactName),
  });
const advisoryEvent = { fixed: { fixedVersion: "2.0" } };

const byHand: Write[] = [
  ...writesOf(`${v1}/Create`, {
    "with a new id": create("HAND-2", "solo"),
    "with the id of a new record": create("OSV-2", "sample"),
    "with an id that is taken": create("HAND-1", "sample"),
  }),
  ...writesOf(`${v1}/Update`, {
    "of another artifact": ({ handAdvisory: id }) => ({ id, ...named("HAND-1", "other") }),
    "of other aliases": ({ handAdvisory: id }) => ({
      ...{ id, ...named("HAND-1", "solo"), aliases: ["CVE-2026-4"] },
    }),
    "that was imported": ({ osvAdvisory: id }) => ({
      ...{ id, ...named("OSV-1", "sample"), artifactType: "python", aliases: ["CVE-2026-5"] },
    }),
    "from VEX": ({ vexAdvisory: id, vexId }) => ({
      ...{ id, ...named(vexId, "sample"), artifactType: "python", aliases: ["CVE-2026-5"] },
    }),
  }),
  ...writesOf(`${v1}/Delete`, {
    "by hand": ({ handAdvisory: id }) => ({ id }),
    "that was imported": ({ osvAdvisory: id }) => ({ id }),
    "from VEX": ({ vexAdvisory: id }) => ({ id }),
  }),
  ...writesOf(`${v1}/CreateAdvisoryEvent`, {
    "by hand": ({ handAdvisory: parentId }) => ({ parentId, advisoryEvent }),
    "of an imported one": ({ osvAdvisory: parentId }) => ({ parentId, advisoryEvent }),
    "of one from VEX": ({ vexAdvisory: parentId }) => ({ parentId, advisoryEvent }),
  }),
  ...writesOf(`${v1}/UpdateAdvisoryEvent`, {
    approves: ({ handEvent: id }) => ({ id, fixed: { fixedVersion: "1.0" }, status: "APPROVED" }),
    changes: ({ handEvent: id }) => ({ id, ...advisoryEvent }),
  }),
];

export const knowledgeWrites: Write[] = [...imports, ...purges, ...byHand];
