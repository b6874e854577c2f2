/** The event of a signature that begins or ceases to count. */
import { ImageVerificationSchema } from "../../../schema/gen/platform/registry/v2/manifests_pb.js";
import { parentOf } from "../../aip/uid_path.ts";
import type { WriteContext } from "../../auth/call.ts";
import type { Statement } from "../../outbox/commit.ts";
import { type CompleteEvent, insertCompleteEvent } from "../../outbox/outbox.ts";
import { type CheckedSignatures, shownVerdict } from "./verdicts.ts";

/** The manifest with a signature, and whether it counted before. */
export interface Verified {
  repo: string;
  manifest: string;
  receivedTime: number;
  counted: boolean;
}

/** The statement that writes the event of a change. None if the signature counts as before, or as little. */
export function verificationEvent(
  context: WriteContext,
  actor: CompleteEvent["actor"],
  { repo, manifest, receivedTime, counted }: Verified,
  { about, fault, verdicts }: CheckedSignatures,
): Statement[] {
  const countsNow = verdicts.length > 0;
  if (countsNow === counted) return [];
  const type = countsNow
    ? "api.platform.registry.image.verified.v1"
    : "api.platform.registry.image.unverified.v1";
  const shown = verdicts.map((verdict) => shownVerdict(verdict, receivedTime));
  const message = { repoUid: repo, digest: about, manifestUid: manifest, verdicts: shown, fault };
  return [
    insertCompleteEvent(context, {
      ...{ type, path: "/registry/v2/manifests", audience: "customer" },
      ...{ subject: repo, group: parentOf(repo), actor, image: { repo, digest: about } },
      body: { desc: ImageVerificationSchema, message },
    }),
  ];
}
