/** Verifies the signatures in a pushed manifest, once, and records what was found with the push. */
import type { Caller } from "../../auth/grants.ts";
import type { Statement } from "../../outbox/commit.ts";
import { recordSignatures } from "../../registry/images/signatures.ts";
import { manifestUid } from "../../registry/images/stored_manifests.ts";
import {
  type CheckedSignatures,
  recordVerdicts,
  selectPushedSignature,
} from "../../registry/images/verdicts.ts";
import { verificationEvent } from "../../registry/images/verification_event.ts";
import {
  markChanged,
  type PolicyRow,
  readPolicies,
  requireSamePolicies,
  selectPolicies,
} from "../../registry/trust_policies/stored_policies.ts";
import type { RegistryContext } from "../context.ts";
import { subjectOf } from "../manifests/pushed_documents.ts";
import type { Push } from "../manifests/store.ts";
import type { SignedManifest } from "./layers.ts";
import { readSignatures } from "./read_signatures.ts";

const isSigned = ({ document }: Pick<Push, "document">) =>
  document.content.signatures.length + document.content.attestations.length > 0;

/** The statements that read what the signatures of a push are verified with. There are none without signatures. */
export const selectForSignatures = (
  db: RegistryContext["db"],
  repo: string,
  push: Pick<Push, "document" | "digest">,
) =>
  isSigned(push)
    ? [selectPolicies(db, repo), selectPushedSignature(db, manifestUid(repo, push.digest))]
    : [];

/**
 * Verifies the signatures of a push, and returns the statements that record what was found. `rows` are those of
 * {@link selectForSignatures}. A guard undoes the push if a policy has changed since.
 */
export async function signatureStatements(
  context: RegistryContext,
  caller: Caller,
  push: SignedManifest & Pick<Push, "document" | "digest">,
  [policyRows = [], pushed = []]: unknown[][],
): Promise<Statement[]> {
  if (!isSigned(push)) return [];
  const { db, now } = context;
  const { repo, digest } = push;
  const rows = policyRows as PolicyRow[];
  const [known] = pushed as Awaited<ReturnType<typeof selectPushedSignature>>;
  const receivedTime = known?.receivedTime ?? now;
  const policies = await readPolicies(rows);
  const found = await readSignatures({ context, manifest: push, policies, receivedTime });
  const place = { repo, manifest: manifestUid(repo, digest), receivedTime };
  const checked = takesAway(known, found.checked) ? undefined : found.checked;
  const { headers } = context.request;
  return [
    requireSamePolicies(db, repo, rows),
    ...recordSignatures(context, repo, place.manifest, found.recorded),
    ...(checked
      ? [
          ...recordVerdicts(context, place, checked),
          ...verificationEvent(
            { ...context, headers },
            caller,
            { ...place, counted: Boolean(known?.counted) },
            checked,
          ),
        ]
      : []),
  ];
}

/** Whether a push only gives a stored manifest the tag of an image that it is not about. */
const takesAway = (
  known: { about: string } | undefined,
  checked: CheckedSignatures | undefined,
): boolean =>
  known !== undefined && checked?.verdicts.length === 0 && checked.about !== known.about;

/**
 * The statements after those that store a manifest that was not pushed, such as a copy. The schedule verifies its
 * signatures, because its layers can come later.
 */
export function verifyLater(
  context: Pick<RegistryContext, "db" | "now">,
  repo: string,
  push: Pick<Push, "document" | "digest" | "tags">,
): Statement[] {
  const about = subjectOf(push.document, push.tags);
  if (!isSigned(push) || about === undefined) return [];
  const place = { repo, manifest: manifestUid(repo, push.digest), receivedTime: context.now };
  const checked = { about, fault: "it was not verified yet", verdicts: [] };
  return [...recordVerdicts(context, place, checked), markChanged(context, place.manifest)];
}
