/** One real change for every import of statements about vulnerabilities. */
import { randomInt } from "node:crypto";
import type { JsonObject } from "@bufbuild/protobuf";
import { createResource } from "../../world/personas.ts";
import { csafDocument, openVexDocument } from "../../world/vex_documents.ts";
import type { OwnChange } from "./change.ts";

const newCve = () => `CVE-2026-${randomInt(10_000, 1_000_000_000)}`;

const imported = (
  collection: string,
  document: (vulnerability: string) => JsonObject,
): OwnChange => ({
  prepare: ({ organization }) => ({
    request: { parent: organization.uid, documents: [document(newCve())] },
    subject: organization.uid,
  }),
  group: "self",
  alsoEmits: ["api.vulnerabilities.advisory.imported.batch.v1"],
  async idle({ organization, token }) {
    const documents = [document(newCve())];
    const path = `/vulnerabilities/v2/${collection}/${organization.uid}:import`;
    await createResource(path, token, { documents });
    return { parent: organization.uid, documents };
  },
});

export const vulnerabilityChanges: Record<string, OwnChange> = {
  "OpenVexDocumentsService/ImportOpenVexDocuments": imported("openVexDocuments", openVexDocument),
  "CsafDocumentsService/ImportCsafDocuments": imported("csafDocuments", csafDocument),
};
