/** The one who made or approved a plan. */
import { Link } from "wouter-preact";
import type { ExpiryPlan } from "../../client/index.ts";
import { addresses } from "../frame/addresses.ts";

/** The one who made it. */
export function Maker({ plan: { creatorUid, creator } }: { plan: ExpiryPlan }) {
  if (!creatorUid) return <span class="pale">the platform</span>;
  return <PersonLink uid={creatorUid} name={creator} />;
}

export const PersonLink = ({ uid, name }: { uid: string; name: string | undefined }) => (
  <Link href={addresses.identity(uid)}>
    <bdi title={name}>{name || "an identity"}</bdi>
  </Link>
);
