import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  DeleteIdentityRequestSchema,
  Identities,
  type Identity,
  type Identity_AWSIdentity,
  type Identity_ClaimMatch,
  IdentitySchema,
} from "../../../schema/gen/platform/iam/identities_pb.js";
import type {
  IdentitySchema as IdentitySchemaV2,
  Identity as IdentityV2,
} from "../../../schema/gen/platform/iam/v2/identities_pb.js";
import { wholeMessage } from "../../aip/whole_message.ts";
import type { CallAnywhere } from "../../auth/call.ts";
import { canonicalIssuer } from "../../auth/token.ts";
import { service } from "../../rpc/service.ts";
import { bodyEvent, callV2, filterOf, listV2, requestEvent } from "../../rpc/version1.ts";
import { identitiesService } from "./identities.ts";

/** Field paths of version 2 that have another name here. */
const fieldNames = {
  parent: "parent_id",
  static_keys: "static",
  "static_keys.expiration_time": "static.expiration",
};

type Members<M> = Omit<M, "$typeName" | "$unknown">;

/** The members of a matcher, which are the same in both versions. */
function claimMatch(matcher: Members<Identity_ClaimMatch>) {
  const { iss, sub, aud, claims, claimPatterns } = matcher;
  return { iss, sub, aud, claims, claimPatterns };
}

/** Like {@link claimMatch}. */
const awsIdentity = ({ awsAccount, awsArn, awsUserId }: Members<Identity_AWSIdentity>) => ({
  awsAccount,
  awsArn,
  awsUserId,
});

type RelationshipInit = NonNullable<MessageInitShape<typeof IdentitySchema>["relationship"]>;
type RelationshipInitV2 = NonNullable<MessageInitShape<typeof IdentitySchemaV2>["relationship"]>;

function relationshipToV1({ relationship }: IdentityV2): RelationshipInit {
  const { case: kind, value } = relationship;
  switch (kind) {
    case "claimMatch":
      return { case: kind, value: claimMatch(value) };
    case "staticKeys": {
      const { issuer, subject, issuerKeys, expirationTime: expiration, audiences } = value;
      return { case: "static", value: { issuer, subject, issuerKeys, expiration, audiences } };
    }
    case "awsIdentity":
      return { case: kind, value: awsIdentity(value) };
    case "servicePrincipal":
      return { case: kind, value: value as number };
    default:
      return { case: undefined };
  }
}

function relationshipToV2({ relationship }: Identity): RelationshipInitV2 {
  const { case: kind, value } = relationship;
  switch (kind) {
    case "claimMatch":
      return { case: kind, value: claimMatch(value) };
    case "static": {
      const { issuer, subject, issuerKeys, expiration: expirationTime, audiences } = value;
      const keys = { issuer, subject, issuerKeys, expirationTime, audiences };
      return { case: "staticKeys", value: keys };
    }
    case "awsIdentity":
      return { case: kind, value: awsIdentity(value) };
    case "servicePrincipal":
      return { case: kind, value: value as number };
    default:
      return { case: undefined };
  }
}

function toV1(identity: IdentityV2): Identity {
  const { uid: id, name, description, createTime, updateTime, lastSeenTime } = identity;
  return wholeMessage(IdentitySchema, {
    id,
    name,
    description,
    createdAt: createTime,
    updatedAt: updateTime,
    lastSeen: lastSeenTime,
    relationship: relationshipToV1(identity),
  });
}

const toV2 = (identity: Identity) => ({
  uid: identity.id,
  name: identity.name,
  description: identity.description,
  relationship: relationshipToV2(identity),
});

/** The fields that a PUT replaces: everything that a client of version 1 can set. */
const updateMask = {
  paths: ["name", "description", "claim_match", "static_keys", "aws_identity", "service_principal"],
};

const toEventV1 = bodyEvent(IdentitySchema, toV1);

const isSelf = ({ credential }: CallAnywhere, uid: string) =>
  credential !== undefined && "uid" in credential.bearer && credential.bearer.uid === uid;

export const identitiesV1 = service(Identities, {
  async create({ parentId: parent, identity }, call) {
    const request = { parent, ...(identity && { identity: toV2(identity) }) };
    const mapping = { names: fieldNames, event: toEventV1 };
    return toV1(await callV2(identitiesService, "createIdentity", request, call, mapping));
  },

  async update(identity, call) {
    const request = { identity: toV2(identity), updateMask };
    const mapping = { names: fieldNames, event: toEventV1 };
    return toV1(await callV2(identitiesService, "updateIdentity", request, call, mapping));
  },

  async list({ id, uidp }, call) {
    const { keeps, names: fieldNames, ...filter } = filterOf(id, uidp);
    const { identities } = await listV2(identitiesService, "listIdentities", filter, call, {
      names: fieldNames,
    });
    return { items: identities.filter(({ uid }) => keeps(uid)).map(toV1) };
  },

  /**
   * Any token is enough for this call. The response therefore contains only what the caller sent. It does not
   * contain the name, which can be an address, and does not say whether such an identity exists. Only an
   * identity itself gets its full resource.
   */
  async lookup({ issuer, subject }, call) {
    const { uid } = await callV2(identitiesService, "lookupIdentity", { issuer, subject }, call);
    if (isSelf(call, uid))
      return toV1(await callV2(identitiesService, "getIdentity", { uid }, call));
    const iss = { case: "issuer", value: canonicalIssuer(issuer) } as const;
    const sub = { case: "subject", value: subject } as const;
    return { id: uid, relationship: { case: "claimMatch", value: { iss, sub } } };
  },

  async delete(request, call) {
    await callV2(identitiesService, "deleteIdentity", { uid: request.id }, call, {
      event: requestEvent(DeleteIdentityRequestSchema, request),
    });
    return {};
  },
});
