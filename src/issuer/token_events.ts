/** The events of tokens: access tokens that are issued, and refresh tokens that are revoked. */
import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  type RefreshTokenRevocation_Reason,
  RefreshTokenRevocationSchema,
  TokenExchangeSchema,
} from "../../schema/gen/platform/events/v2/occurrences_pb.js";
import { parentOf } from "../aip/uid_path.ts";
import type { WriteContext } from "../auth/call.ts";
import type { ActClaims } from "../auth/claims.ts";
import {
  type CompleteEvent,
  insertCompleteEvent,
  insertCompleteEventIfChanged,
} from "../outbox/outbox.ts";

/** The claims of a token that its events show. */
interface ShownClaims {
  /** The uid of the identity. */
  sub: string;
  act: ActClaims;
  email?: string | undefined;
  /** The uid of the identity provider of a person. */
  idp?: string | undefined;
}

/**
 * Where the event belongs. A person belongs to no organization, so it is the group of their identity provider.
 * The event of a person without one is internal.
 */
function eventScope({ sub, idp }: ShownClaims) {
  const group = parentOf(sub);
  if (group !== "") return { group, audience: "customer" as const };
  if (idp === undefined) return { group: "/", audience: "internal" as const };
  const extensions = { identityprovider: idp };
  return { group: parentOf(idp), audience: "customer" as const, extensions };
}

/** The identity and the claims that it came with. The claims of an actor are texts. */
function actorOf({ sub, act, email }: ShownClaims): CompleteEvent["actor"] {
  const claims = { ...act, ...(email === undefined ? {} : { email }) };
  const texts = Object.entries(claims).map(([name, value]) => [name, String(value)]);
  return { identity: sub, act: Object.fromEntries(texts) };
}

/** The event of a token that is issued for an identity. `path` is where the client requested the token. */
export const insertExchangeEvent = (
  context: WriteContext,
  path: string,
  claims: ShownClaims,
  exchange: MessageInitShape<typeof TokenExchangeSchema>,
) =>
  insertCompleteEvent(context, {
    ...eventScope(claims),
    type: "api.auth.token.exchanged.v1",
    path,
    subject: claims.sub,
    body: {
      desc: TokenExchangeSchema,
      message: { ...exchange, identityUid: claims.sub, identityProviderUid: claims.idp ?? "" },
    },
    actor: actorOf(claims),
  });

/** The event of revoked refresh tokens, if the previous statement revoked any. */
export const insertRevocationEventIfChanged = (
  context: WriteContext,
  path: string,
  claims: ShownClaims,
  reason: RefreshTokenRevocation_Reason,
) =>
  insertCompleteEventIfChanged(context, {
    ...eventScope(claims),
    type: "api.auth.refresh_token.revoked.v1",
    path,
    subject: claims.sub,
    body: {
      desc: RefreshTokenRevocationSchema,
      message: { identityUid: claims.sub, identityProviderUid: claims.idp ?? "", reason },
    },
    actor: actorOf(claims),
  });
