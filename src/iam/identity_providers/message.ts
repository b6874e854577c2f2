/** Converts identity providers between row and message, as each reader may see them. */

import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  IdentityProvider_SCIM_CredentialState as CredentialState,
  type IdentityProvider,
  type IdentityProvider_OIDC,
  IdentityProvider_OIDCSchema,
  type IdentityProvider_SCIM,
  IdentityProvider_SCIMSchema,
  IdentityProviderSchema,
} from "../../../schema/gen/platform/iam/v2/identity_providers_pb.js";
import { identityProviders } from "../../../schema/tables/iam/identity_providers.ts";
import { parentOf } from "../../aip/uid_path.ts";
import { type FieldOf, wholeMessage } from "../../aip/whole_message.ts";
import type { Call } from "../../auth/call.ts";
import type { Config } from "../../config.ts";
import { selectRow } from "../../resource/find.ts";
import { resource } from "../../resource/resource.ts";
import type { Stored } from "../../resource/stored_row.ts";
import { oidcOf } from "./rules.ts";

/** The version of the SCIM configuration, which clients send back. Empty before the first token. */
export const scimEtag = (version: number) => (version === 0 ? "" : `scim-${version}`);

/** The base URL for the provisioning client (contract: `https://<scim host>/scim/v2/<org>/<idp>`). */
export const scimEndpoint = (config: Config, uid: string) => `${config.baseUrl}/scim/v2/${uid}`;

/** The columns of a provider that its message shows. */
type Shown = Stored<typeof identityProviders>;

type ScimColumns = Pick<
  Shown,
  | "scimVersion"
  | "scimTokenExpireTime"
  | "scimTokenRevokeTime"
  | "scimPreviousTokenDigest"
  | "scimPreviousTokenExpireTime"
>;

/** The state of the SCIM token at a time, in milliseconds since 1970 in UTC. */
export function scimCredentialState(row: ScimColumns, now: number): CredentialState {
  if (row.scimVersion === 0) return CredentialState.NOT_ISSUED;
  if (row.scimTokenRevokeTime !== null) return CredentialState.REVOKED;
  if ((row.scimTokenExpireTime ?? Number.POSITIVE_INFINITY) <= now) return CredentialState.EXPIRED;
  const overlaps =
    row.scimPreviousTokenDigest !== "" && (row.scimPreviousTokenExpireTime ?? 0) > now;
  return overlaps ? CredentialState.ROTATING : CredentialState.LIVE;
}

const toTimestamp = (time: number | null) => (time === null ? undefined : timestampFromMs(time));

/** The state of provisioning. With `now`, also the state of its credential. */
function toScim(config: Config, row: Shown, now: number | undefined): IdentityProvider_SCIM {
  const scim = create(IdentityProvider_SCIMSchema, {
    enabled: row.scimEnabled,
    endpointUrl: scimEndpoint(config, row.uid),
    etag: scimEtag(row.scimVersion),
  });
  if (now === undefined) return scim;
  scim.credentialState = scimCredentialState(row, now);
  const { scimTokenExpireTime: expires, scimPreviousTokenExpireTime: previous } = row;
  if (row.scimTokenRevokeTime === null && expires !== null) {
    scim.tokenExpireTime = timestampFromMs(expires);
  }
  if (scim.credentialState === CredentialState.ROTATING && previous !== null) {
    scim.previousTokenExpireTime = timestampFromMs(previous);
  }
  return scim;
}

/** The message without the secret. Lists pass no `now` and leave out the state of the credential. */
export function toIdentityProvider(config: Config, row: Shown, now?: number): IdentityProvider {
  return wholeMessage(IdentityProviderSchema, {
    uid: row.uid,
    name: row.name,
    description: row.description,
    createTime: toTimestamp(row.createTime),
    updateTime: toTimestamp(row.updateTime),
    defaultRole: row.defaultRole,
    configuration: {
      case: "oidc",
      value: wholeMessage(IdentityProvider_OIDCSchema, {
        issuer: row.issuer,
        clientId: row.clientId,
        clientSecret: "",
        additionalScopes: row.additionalScopes,
        groupsClaim: row.groupsClaim,
        correlationRule: row.correlationRule,
        pkceEnabled: row.pkceEnabled,
      }),
    },
    scim: toScim(config, row, now),
  });
}

/** The columns that a message determines, without the encrypted secret. */
export function toProviderColumns(provider: IdentityProvider) {
  const oidc = oidcOf(provider);
  // The compiler checks that no field of the configuration is missing.
  const configuration = {
    issuer: oidc.issuer,
    clientId: oidc.clientId,
    additionalScopes: oidc.additionalScopes,
    groupsClaim: oidc.groupsClaim,
    correlationRule: oidc.correlationRule as number,
    pkceEnabled: oidc.pkceEnabled,
  } satisfies Record<Exclude<FieldOf<IdentityProvider_OIDC>, "clientSecret">, unknown>;
  return {
    name: provider.name,
    description: provider.description,
    defaultRole: provider.defaultRole,
    ...configuration,
  };
}

/** The body of an event about a provider (contract: events), without secret and times. */
function toEventBody({ createTime: _, updateTime: __, ...shown }: IdentityProvider) {
  return { desc: IdentityProviderSchema, message: create(IdentityProviderSchema, shown) };
}

export const identityProvider = resource({
  type: "iam/IdentityProvider",
  schema: IdentityProviderSchema,
  table: identityProviders,
  select: selectRow(identityProviders),
  toMessage: (row: Shown, { config, now }: Call) => toIdentityProvider(config, row, now),
  toColumns: toProviderColumns,
  otherFields: { configuration: "issuer", scim: "computed" },
  groupOf: parentOf,
  eventBody: toEventBody,
});
