/** Legal documents that a call waits for (contract: terms error). */
import type { DescMethod } from "@bufbuild/protobuf";
import { and, inArray } from "drizzle-orm";
import { termsAcceptances } from "../../schema/tables/iam/terms_acceptances.ts";
import { termsNotAccepted } from "../aip/errors.ts";
import { ancestry } from "../aip/uid_path.ts";
import type { Config, TermsDocument } from "../config.ts";
import type { Call } from "./call.ts";

/** Documents that can be accepted whether any RPC waits for them or not, and their titles. */
const builtInDocuments = new Map([
  ["guardener-tos.v1", "Terms of Service"],
  ["sfdpa.v1", "Data Privacy Agreement"],
  ["skills-tos.v1", "Skills Registry Terms of Service"],
]);

/** Whether there is a document of that id. */
export const isTermsDocument = ({ terms }: Config, id: string) =>
  builtInDocuments.has(id) || terms.some((one) => one.id === id);

const rpcName = ({ parent, name }: DescMethod) => `${parent.typeName}/${name}`;

/** The documents that the configuration demands for this RPC, or for the one it answers for. */
export const demandedDocuments = ({ config, method, origin }: Call): TermsDocument[] =>
  config.terms.filter(
    ({ methods }) =>
      methods.includes(rpcName(method)) || (origin && methods.includes(rpcName(origin.method))),
  );

/** The statement that reads which of the documents were accepted for the uid or a group above it. */
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

/** Throws the typed refusal that names every document not accepted yet. */
export function requireAcceptedDocuments(
  demanded: TermsDocument[],
  accepted: { id: string }[],
): void {
  const missing = demanded.filter(({ id }) => !accepted.some((one) => one.id === id));
  if (missing.length === 0) return;
  throw termsNotAccepted(
    missing.map(({ id, label, url }) => ({
      id,
      label: label || (builtInDocuments.get(id) ?? ""),
      url,
    })),
  );
}
