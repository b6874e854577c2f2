/** Imports of VEX documents, and their results. */
import { expect } from "vitest";
import { callRest } from "../../world/platform.ts";
import { callApi } from "../callers.ts";
import { listAdvisories } from "../osv/osv_imports.ts";

/** The members of a document or statement, as a test writes them. */
export type Json = Record<string, unknown>;

export const imagePurl =
  "pkg:oci/web@sha256%3A124c7d2707904eea7431fffe91522a01e5a861a624ee31d03372cc1d138a3126" +
  "?repository_url=registry.example/team/webshop&arch=amd64";

/** An empty statement. */
export const statementOf = (change: Json = {}): Json => ({
  vulnerability: { name: "CVE-2024-1001" },
  products: [{ "@id": "pkg:pypi/box@1.0" }],
  status: "under_investigation",
  ...change,
});

/** An OpenVEX document with these statements. */
export const openVexOf = (statements: Json[], change: Json = {}): Json => ({
  "@context": "https://openvex.dev/ns/v0.2.0",
  "@id": "https://vendor.example/vex/1",
  author: "vex@vendor.example",
  timestamp: "2024-05-01T10:00:00Z",
  version: 1,
  statements,
  ...change,
});

/** Imports documents, of which none may be left out. */
export const loadOpenVex = (token: string, group: string, ...documents: unknown[]) =>
  callApi(token, `openVexDocuments/${group}:import`, { documents, strict: true });

/** Imports documents, of which none may be left out. */
export const loadCsaf = (token: string, group: string, ...documents: unknown[]) =>
  callApi(token, `csafDocuments/${group}:import`, { documents, strict: true });

/** The outcome of an import, in the order created, updated, unchanged, or its error. */
export const countsOf = ({ body }: { body: Json }) => [body.created, body.updated, body.unchanged];

/** The fields that the error names. */
export const refusedFields = ({ status, body }: { status: number; body: Json }): string[] => {
  if (status !== 400) throw new Error(`not refused: ${status} ${JSON.stringify(body)}`);
  const details = body.details as { fieldViolations?: { field: string }[] }[];
  return details.flatMap(({ fieldViolations = [] }) => fieldViolations.map(({ field }) => field));
};

/** An advisory exported in a format, over REST. */
export const readAdvisory = (token: string, uid: string, query: string, accept?: string) =>
  callRest(`/vulnerabilities/v2/advisories/${uid}${query}`, {
    token,
    ...(accept === undefined ? {} : { headers: { accept } }),
  });

/** The only statement of an OpenVEX document. */
export function onlyOf(document: Json): Json {
  expect(document.statements).toHaveLength(1);
  return (document.statements as Json[])[0] ?? {};
}

/** The uids of the first 200 advisories that the caller can list. */
export const everyUid = async (token: string) =>
  (await listAdvisories(token)).all.map(({ uid }) => uid);
