/** Legal documents that a call can require (contract: terms error). */
import type { DescMethod } from "@bufbuild/protobuf";
import { and, inArray } from "drizzle-orm";
import { termsAcceptances } from "../../schema/tables/iam/terms_acceptances.ts";
import { termsNotAccepted } from "../aip/errors.ts";
import { ancestry } from "../aip/uid_path.ts";
import type { Config, TermsDocument } from "../config.ts";
import type { Call } from "./call.ts";

/** Documents that can be accepted even if no RPC requires them, and their titles. */
const builtInDocuments = new Map([
  ["guardener-tos.v1", "Terms of Service"],
  ["sfdpa.v1", "Data Privacy Agreement"],
  ["skills-tos.v1", "Skills Registry Terms of Service"],
]);

/** Whether a document with that id exists. */
export const isTermsDocument = ({ terms }: Config, id: string) =>
  builtInDocuments.has(id) || terms.some((document) => document.id === id);

const rpcName = ({ parent, name }: DescMethod) => `${parent.typeName}/${name}`;

/** The documents that the configuration requires for this RPC, or for the RPC of version 1 that it serves. */
export const demandedDocuments = ({ config, method, origin }: Call): TermsDocument[] =>
  config.terms.filter(
    ({ methods }) =>
      methods.includes(rpcName(method)) || (origin && methods.includes(rpcName(origin.method))),
  );

/** The statement that reads which documents are accepted for the uid or a group above it. */
export const selectAcceptedDocuments = (call: Call, uid: string, demanded: TermsDocument[]) =>
  call.db
    .select({ id: termsAcceptances.docId })
    .from(termsAcceptances)
    .where(
      and(
        inArray(termsAcceptances.parent, ancestry(uid)),
        inArray(
          termsAcceptances.docId,
          demanded.map(({ id }) => id),
        ),
      ),
    );

/** Throws the typed error that names every document that is not accepted yet. */
export function requireAcceptedDocuments(
  demanded: TermsDocument[],
  accepted: { id: string }[],
): void {
  const missing = demanded.filter(({ id }) => !accepted.some((document) => document.id === id));
  if (missing.length === 0) return;
  throw termsNotAccepted(
    missing.map(({ id, label, url }) => ({
      id,
      label: label || (builtInDocuments.get(id) ?? ""),
      url,
    })),
  );
}
