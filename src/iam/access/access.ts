/** Questions about access. The code that decides every call answers them. */
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  type Capability,
  CapabilitySchema,
} from "../../../schema/gen/platform/capabilities/v1/capability_pb.js";
import {
  type AccessDecision,
  AccessDecisionSchema,
  type AccessExplanation,
  AccessService,
  type TokenLimits,
  TokenLimitsSchema,
} from "../../../schema/gen/platform/iam/access/v2/access_pb.js";
import { demandsOf } from "../../../schema/options.ts";
import { invalidArgument, notFound, unauthenticated } from "../../aip/errors.ts";
import { isUid, parentOf, rootOf } from "../../aip/uid_path.ts";
import { authorizeAndRead, missingCapabilities, readWithGrants } from "../../auth/access.ts";
import {
  type AccessDecision as Decision,
  decisionLifetime,
  openDecision,
} from "../../auth/access_decision.ts";
import { type Call, type CallAnywhere, type Credential, callAt } from "../../auth/call.ts";
import { isSpread } from "../../auth/databases.ts";
import { selectGrants } from "../../auth/grant_rows.ts";
import { type Caller, holds, toCaller } from "../../auth/grants.ts";
import { grantsOf, readGrantRows } from "../../auth/grants_across.ts";
import { verifiedInEach } from "../../auth/verified_names.ts";
import { service } from "../../rpc/service.ts";
import { toCase } from "./case.ts";
import { type Question, selectEvidence, tokenOf } from "./evidence.ts";
import { explain } from "./explain.ts";
import { listAccess } from "./list_access.ts";

const everyCapability = CapabilitySchema.values
  .map(({ number }) => number)
  .filter((number) => number > 0);

/** The capabilities of those who may ask about the access of others. */
const needed = () => demandsOf(AccessService.method.explainAccess).capabilities;

/** Answers a question for someone who may ask it. It takes one round trip. */
async function answer(question: Question, anywhere: CallAnywhere) {
  const { resource, credential } = question;
  const call = callAt(anywhere, resource);
  const asking = { ...call, capabilities: needed() };
  const statements = selectEvidence(call.db, question);
  // The caller's grants elsewhere decide which of the role bindings there can be shown.
  const { caller, rows } = await authorizeAndRead(asking, resource, statements, {
    everywhere: true,
  });
  if (isSpread(call.databases)) {
    // The identity, and what the token came from, can be in other databases.
    const { grants } = await readGrantRows(call, credential, resource, []);
    rows[0].splice(0, rows[0].length, ...grantsOf(grants));
  }
  const explanation = explain(toCase(question, rows, (group) => holds(caller, needed(), group)));
  return { explanation, provisioners: rows[7] };
}

/** The login of a question: the identity provider and the groups of the person there. */
function loginOf(provider: string, groups: string[], identity: string, resource: string) {
  if (provider === "") {
    if (groups.length === 0) return {};
    const text = "external_group_ids needs identity_provider_uid";
    throw invalidArgument("external_group_ids", text);
  }
  if (rootOf(provider) !== rootOf(resource) || parentOf(provider) === "") {
    const text =
      "identity_provider_uid must be an identity provider of the resource's organization";
    throw invalidArgument("identity_provider_uid", text);
  }
  if (parentOf(identity) !== "") {
    const text =
      "identity_provider_uid is only for people; leave it out for an identity of a group";
    throw invalidArgument("identity_provider_uid", text);
  }
  return {
    login: { identityProvider: provider, groups },
    scopes: [parentOf(provider)],
    chain: [{ sub: identity, idp: provider }],
  };
}

/** Whether a SCIM group gives access. A login can have other access too, which the own token is not asked about. */
const isByScimGroup = ({ allowed, paths }: AccessExplanation): boolean =>
  allowed && paths.some(({ entry }) => (entry?.scimGroupUid ?? "") !== "");

/**
 * Answers a question about the own token of an identity. If that has no access, a person may have it in a login, by a
 * SCIM group: each identity provider that provisions the person is asked.
 */
async function answerOwn(question: Question, identity: string, call: Call) {
  const { explanation, provisioners } = await answer(question, call);
  if (explanation.allowed) return explanation;
  for (const { uid } of provisioners) {
    const login = loginOf(uid, [], identity, question.resource);
    const credential = { ...question.credential, ...login };
    const inLogin = await answer({ ...question, credential }, call);
    if (isByScimGroup(inLogin.explanation)) return inLogin.explanation;
  }
  return explanation;
}

/** The error for a decision about a call without a uid, if the request does not say where to explain it. */
function missingResource({ image }: Decision) {
  const what = image === undefined ? "no uid" : `the image ${image}`;
  const text = `the call named ${what}; send the uid of a resource or group to explain in resource_uid`;
  return invalidArgument("resource_uid", text);
}

/** Throws INVALID_ARGUMENT if the decision cannot be explained at the uid in the request, which can be empty. */
function checkResource(decision: Decision, asked: string, organization: string | undefined): void {
  const { resource, image, credential } = decision;
  if (asked === "" || asked === resource) return;
  if (resource !== "") {
    const text = "resource_uid must be empty, because the call named a uid";
    throw invalidArgument("resource_uid", text);
  }
  const { bearer } = credential;
  const home = "uid" in bearer ? parentOf(bearer.uid) : "";
  const isOther =
    image === undefined
      ? home !== "" && rootOf(home) !== rootOf(asked)
      : organization !== rootOf(asked);
  if (!isOther) return;
  const owner = image === undefined ? "identity" : "image";
  throw invalidArgument("resource_uid", `resource_uid must be in the organization of the ${owner}`);
}

/** The organization of an image by the first part of its name: a uid, or the name of a verified one. */
async function organizationOf(
  { databases }: CallAnywhere,
  image: string,
): Promise<string | undefined> {
  const namespace = image.slice(0, image.indexOf("/"));
  if (isUid(namespace)) return namespace;
  const [organization] = await verifiedInEach(databases, [namespace]);
  return organization?.uid;
}

function limitsOf({ credential, isTruncated }: Decision): TokenLimits | undefined {
  const { scopes, capabilities, login } = credential;
  if (!scopes && !capabilities && !login && !isTruncated) return undefined;
  return create(TokenLimitsSchema, {
    scopeUids: scopes ?? [],
    scoped: scopes !== undefined,
    capabilities: (capabilities ?? []) as Capability[],
    narrowed: capabilities !== undefined,
    identityProviderUid: login?.identityProvider ?? "",
    truncated: isTruncated,
  });
}

function toDecision(decision: Decision, explanation: AccessExplanation): AccessDecision {
  const { bearer } = decision.credential;
  const limits = limitsOf(decision);
  return create(AccessDecisionSchema, {
    decideTime: timestampFromMs(decision.time),
    expireTime: timestampFromMs(decision.time + decisionLifetime),
    method: decision.method,
    resourceUid: decision.resource,
    image: decision.image ?? "",
    ...("uid" in bearer
      ? { identityUid: bearer.uid }
      : { issuer: bearer.issuer, subject: bearer.subject }),
    capabilities: decision.capabilities as Capability[],
    ...(limits && { limits }),
    explanation,
  });
}

/** Throws PERMISSION_DENIED unless the caller may ask about the access of others. */
function requireAsking(caller: Caller, resource: string): void {
  if (!holds(caller, needed(), resource)) throw missingCapabilities(needed(), resource);
}

/** The caller at one resource, or the identity in the question there. Undefined if that identity does not exist. */
async function testerAt(
  call: Call,
  resource: string,
  subject: Credential | undefined,
): Promise<Caller | undefined> {
  const { caller } = await readWithGrants(call, resource, []);
  if (!subject) return caller;
  requireAsking(caller, resource);
  const { grants } = await readGrantRows(call, subject, resource, []);
  return grantsOf(grants).length > 0 ? toCaller(grantsOf(grants), subject, resource) : undefined;
}

const permissionsOf = (
  resourceUids: string[],
  callers: (Caller | undefined)[],
  tested: readonly number[],
) =>
  resourceUids.map((resourceUid, index) => {
    const caller = callers[index];
    const held = tested.filter((capability) => caller && holds(caller, [capability], resourceUid));
    return { resourceUid, capabilities: held as Capability[] };
  });

export const accessService = service(AccessService, {
  /** Each resource has its own statement, which is the one that a call about it sends. */
  async testPermissions({ resourceUids, capabilities, identityUid }, anywhere) {
    const call = callAt(anywhere, resourceUids[0] ?? "");
    const { db, credential } = call;
    if (!credential) throw unauthenticated("the call has no credential");
    const tested: readonly number[] = capabilities.length > 0 ? capabilities : everyCapability;
    const subject = identityUid === "" ? credential : tokenOf(identityUid);
    const [first = "", ...others] = resourceUids;
    if (isSpread(call.databases)) {
      const asked = identityUid === "" ? undefined : subject;
      const callers = await Promise.all(
        resourceUids.map(async (uid) => testerAt(callAt(call, uid), uid, asked)),
      );
      return { permissions: permissionsOf(resourceUids, callers, tested) };
    }
    const own = others.map((uid) => selectGrants(db, credential, uid));
    const asked =
      identityUid === "" ? [] : resourceUids.map((uid) => selectGrants(db, subject, uid));
    const { caller, rows } = await readWithGrants(call, first, [...own, ...asked]);
    const callers = [
      caller,
      ...others.map((uid, index) => toCaller(rows[index] ?? [], credential, uid)),
    ];
    const subjects = callers.map((resourceCaller, index) => {
      if (identityUid === "") return resourceCaller;
      const resourceUid = resourceUids[index] ?? "";
      requireAsking(resourceCaller, resourceUid);
      const grantRows = rows[others.length + index] ?? [];
      return grantRows.length > 0 ? toCaller(grantRows, subject, resourceUid) : undefined;
    });
    return { permissions: permissionsOf(resourceUids, subjects, tested) };
  },

  listAccess,

  async explainAccess(request, call) {
    const { identityUid, capability, resourceUid, identityProviderUid, externalGroupIds } = request;
    const login = loginOf(identityProviderUid, externalGroupIds, identityUid, resourceUid);
    const credential = { ...tokenOf(identityUid), ...login };
    const question = { credential, capabilities: [capability], resource: resourceUid };
    if (identityProviderUid === "") return answerOwn(question, identityUid, call);
    return (await answer(question, call)).explanation;
  },

  async getAccessDecision({ id, resourceUid }, call) {
    const decision = await openDecision(call.config, id, call.now);
    const { image, credential, capabilities } = decision;
    const resource = resourceUid || decision.resource;
    if (resource === "") throw missingResource(decision);
    if (!isUid(resource)) throw notFound("iam/AccessDecision", "with that id");
    // Only someone who may ask about the resource learns whether the decision belongs to it.
    const { explanation } = await answer({ credential, capabilities, resource }, call);
    const organization = image === undefined ? undefined : await organizationOf(call, image);
    checkResource(decision, resourceUid, organization);
    return toDecision(decision, explanation);
  },
});
