/** Issues, replaces and revokes the bearer token of a provisioning client, and enables and disables SCIM. */
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { DurationSchema, timestampFromMs } from "@bufbuild/protobuf/wkt";
import { and, eq, gte, type SQL, sql } from "drizzle-orm";
import {
  GenerateScimTokenResponseSchema,
  type IdentityProvidersService,
  RegenerateScimTokenResponseSchema,
  RevokeScimTokenResponseSchema,
  SetScimEnabledResponseSchema,
} from "../../../schema/gen/platform/iam/v2/identity_providers_pb.js";
import { identityProviders } from "../../../schema/tables/iam/identity_providers.ts";
import { roleBindings } from "../../../schema/tables/iam/role_bindings.ts";
import { OWNER_ROLE } from "../../../schema/tables/iam/roles.ts";
import { parentKeyOf } from "../../../schema/tables/list_indexes.ts";
import { aborted, failedPrecondition, invalidArgument, notFound } from "../../aip/errors.ts";
import { parentOf, rootOf } from "../../aip/uid_path.ts";
import type { Call, EventDraft } from "../../auth/call.ts";
import type { Caller } from "../../auth/grants.ts";
import { selectIfOwned } from "../../auth/owners.ts";
import { commitIfChanged, keepOwner, nextTime } from "../../outbox/commit.ts";
import { insertEvent } from "../../outbox/outbox.ts";
import { find } from "../../resource/find.ts";
import type { Handlers } from "../../rpc/service.ts";
import { identityProvider, scimEtag } from "./message.ts";
import type { ProviderRow } from "./rules.ts";
import {
  hasLiveToken,
  issueToken,
  retireToken,
  tokenExpiry,
  toMilliseconds,
} from "./scim_token_lifetime.ts";

/**
 * The number of directly bound owners that are needed. They can still get in if provisioning goes wrong
 * (contract).
 */
const minDirectOwners = 2;

/**
 * Reads the provider. If needed, also reads whether enough people own the organization directly, and whether
 * it has an owner who can come in.
 */
async function findProvider(call: Call, uid: string, organization = "") {
  const { caller, row, extraReads } = await find(call, identityProvider, uid, {
    extraReads: [countOwners(call, uid), selectIfOwned(call, organization)],
  });
  const [[owners], owned] = extraReads;
  return { caller, row, owners: owners?.number ?? 0, owned };
}

/** Counts up to the number that is needed. An owner never has two bindings of the role at one group. */
function countOwners(call: Call, uid: string) {
  const owners = call.db
    .select({ uid: roleBindings.uid })
    .from(roleBindings)
    .where(
      and(
        sql`${roleBindings.parentKey} = ${parentKeyOf(rootOf(uid))}`,
        eq(roleBindings.parent, rootOf(uid)),
        eq(roleBindings.roleUid, OWNER_ROLE),
        eq(roleBindings.accepted, true),
      ),
    )
    .limit(minDirectOwners);
  return call.db.select({ number: sql<number>`count(*)`.as("number") }).from(owners.as("owners"));
}

/** Throws unless the etag is that of the provider's SCIM configuration. */
function checkEtag(row: ProviderRow, etag: string): void {
  if (scimEtag(row.scimVersion) !== etag) {
    throw aborted(
      "etag is not the current one; read the identity provider again, and repeat the call if it still applies",
    );
  }
}

function requireEtag(etag: string): void {
  if (etag === "") throw invalidArgument("etag", "etag is required");
}

const tokenNotFound = (uid: string) => notFound("iam/ScimToken", uid);

/** Writes the change if the SCIM configuration is still as it was read. Throws Stale otherwise. */
const writeScimChange = (
  call: Call,
  caller: Caller,
  row: ProviderRow,
  changes: Partial<ProviderRow>,
  body: EventDraft["body"],
  {
    guard,
    extraWrites = [],
  }: { guard?: SQL | undefined; extraWrites?: ReturnType<typeof keepOwner> } = {},
) =>
  commitIfChanged(call, [
    call.db
      .update(identityProviders)
      .set({
        ...changes,
        scimVersion: row.scimVersion + 1,
        // From the current row, because its other fields may have changed since it was read.
        updateTime: sql`max(${nextTime(call, row.updateTime)}, ${identityProviders.updateTime} + 1)`,
      })
      .where(
        and(
          eq(identityProviders.uid, row.uid),
          eq(identityProviders.scimVersion, row.scimVersion),
          guard,
        ),
      ),
    insertEvent(call, caller, {
      subject: row.uid,
      group: parentOf(row.uid),
      ...(body ? { body } : {}),
    }),
    ...extraWrites,
  ]);

type ScimMethod =
  | "generateScimToken"
  | "regenerateScimToken"
  | "revokeScimToken"
  | "setScimEnabled";

/** The handlers of IdentityProvidersService for SCIM. */
export const scimTokenHandlers: Pick<Handlers<typeof IdentityProvidersService>, ScimMethod> = {
  async generateScimToken(request, call) {
    const { caller, row } = await findProvider(call, request.identityProviderUid);
    const expires = tokenExpiry(call, request);
    if (row.scimVersion !== 0) {
      throw failedPrecondition(
        "SCIM_TOKEN_EXISTS",
        "a SCIM token was issued before; regenerate it instead",
        row.uid,
      );
    }
    const { token, columns, response } = await issueToken(call, row, expires);
    await writeScimChange(call, caller, row, columns, {
      desc: GenerateScimTokenResponseSchema,
      message: create(GenerateScimTokenResponseSchema, response),
    });
    return { ...response, token: call.validateOnly ? "" : token };
  },

  async regenerateScimToken(request, call) {
    const { caller, row } = await findProvider(call, request.identityProviderUid);
    requireEtag(request.etag);
    const expires = tokenExpiry(call, request);
    if (row.scimVersion === 0) throw tokenNotFound(row.uid);
    checkEtag(row, request.etag);
    const overlap = request.overlap ?? create(DurationSchema, { seconds: 3600n });
    const { token, columns, response } = await issueToken(call, row, expires);
    const retired = retireToken(call, row, toMilliseconds(overlap), expires);
    const whole: MessageInitShape<typeof RegenerateScimTokenResponseSchema> = {
      ...response,
      requestedOverlap: overlap,
      ...(retired.until === undefined
        ? {}
        : { previousTokenExpireTime: timestampFromMs(retired.until) }),
    };
    await writeScimChange(
      call,
      caller,
      row,
      { ...columns, ...retired.columns },
      {
        desc: RegenerateScimTokenResponseSchema,
        message: create(RegenerateScimTokenResponseSchema, whole),
      },
    );
    return { ...whole, token: call.validateOnly ? "" : token };
  },

  /** It is not an error if the token is already revoked. The response contains the time of that. */
  async revokeScimToken(request, call) {
    const { caller, row } = await findProvider(call, request.identityProviderUid);
    if (row.scimVersion === 0) throw tokenNotFound(row.uid);
    const isRevoked = row.scimTokenRevokeTime !== null;
    const message = create(RevokeScimTokenResponseSchema, {
      identityProviderUid: row.uid,
      etag: scimEtag(isRevoked ? row.scimVersion : row.scimVersion + 1),
      enabled: row.scimEnabled,
      revokeTime: timestampFromMs(row.scimTokenRevokeTime ?? call.now),
    });
    if (isRevoked) return message;
    const changes = {
      scimTokenDigest: "",
      scimTokenRevokeTime: call.now,
      scimTokenNoticeTime: null,
      scimPreviousTokenDigest: "",
      scimPreviousTokenExpireTime: null,
    };
    await writeScimChange(call, caller, row, changes, {
      desc: RevokeScimTokenResponseSchema,
      message,
    });
    return message;
  },

  async setScimEnabled(request, call) {
    const uid = request.identityProviderUid;
    const { caller, row, owners, owned } = await findProvider(call, uid, parentOf(uid));
    requireEtag(request.etag);
    checkEtag(row, request.etag);
    const { enabled } = request;
    const isSame = row.scimEnabled === enabled;
    const message = create(SetScimEnabledResponseSchema, {
      identityProviderUid: row.uid,
      enabled,
      etag: scimEtag(isSame ? row.scimVersion : row.scimVersion + 1),
    });
    if (isSame) return message;
    if (enabled && owners < minDirectOwners) {
      throw failedPrecondition(
        "OWNERS",
        `at least ${minDirectOwners} identities must have the role owner on the organization itself before you enable provisioning`,
        rootOf(row.uid),
      );
    }
    const enough = enabled ? gte(sql`(${countOwners(call, row.uid)})`, minDirectOwners) : undefined;
    const body = { desc: SetScimEnabledResponseSchema, message };
    // Without a valid token no one can provision the owners who log in through this provider.
    const extraWrites = enabled && !hasLiveToken(row, call.now) ? keepOwner(call, owned) : [];
    await writeScimChange(call, caller, row, { scimEnabled: enabled }, body, {
      guard: enough,
      extraWrites,
    });
    return message;
  },
};
