/** Requests of callers who would pass on more access than they have. */
import {
  type EscalationAttacks,
  type EscalationWorld,
  patch,
  post,
  put,
  subscriptions,
  v1,
  v2,
} from "./escalation_world.ts";

/** An OpenID provider of the attacker. */
const evil = { issuer: "https://evil.example", clientId: "evil", pkceEnabled: true };

const claimMatch = { issuer: evil.issuer, subject: "me" };
const ttl = "60s";
const viewing = (w: EscalationWorld) => ({ identityUid: w.fixtures.identity, roleUid: w.viewer });
const mapping = (w: EscalationWorld, roleUid: string) => ({
  ...{ externalGroupId: "mine", roleUid, scope: w.root },
});

/** Attacks by a caller who manages access and has few other capabilities. */
export const byClerk: EscalationAttacks = {
  "v1: a binding of the owner's role": (w) =>
    post(v1("rolebindings", w.root), { identity: w.clerk.uid, role: w.ownerRole }),
  "v1: the same in a batch": (w) =>
    post(v1("rolebindings/batch", w.root), [
      { identity: w.clerk.uid, role: w.viewer },
      { identity: w.clerk.uid, role: w.ownerRole },
    ]),
  "v1: a binding changed into the owner's role": (w) =>
    put(v1("rolebindings", w.fixtures.roleBinding), { identity: w.clerk.uid, role: w.ownerRole }),
  "v1: a role with capabilities that the caller lacks, bound to the caller": (w) =>
    put(v1("roles", w.clerkRole), { name: "mine", capabilities: ["repo.delete"] }),
  "the caller's own role with more capabilities": (w) =>
    patch(v2("roles", w.clerkRole), { capabilities: ["CAP_REPO_DELETE"] }),
  "the same by a mask of everything": (w) =>
    patch(`${v2("roles", w.clerkRole)}?updateMask=*`, {
      name: "mine",
      capabilities: ["CAP_REPO_DELETE"],
    }),
  "a role of the group below, with more": (w) =>
    patch(v2("roles", w.below.role), { capabilities: ["CAP_REPO_LIST", "CAP_REPO_DELETE"] }),
  "a provider whose default role is the owner's": (w) =>
    post(v2("identityProviders", w.root), w.ownersProvider),
  "a provider through which people log in": (w) =>
    post(v2("identityProviders", w.root), w.provider),
  "the owner's role as the default role of an existing provider": (w) =>
    patch(v2("identityProviders", w.idp), { defaultRole: w.ownerRole }),
  "a provider changed to the caller's issuer": (w) =>
    patch(v2("identityProviders", w.idp), { oidc: { issuer: "https://evil.example" } }),
  "a provider changed to the caller's client": (w) =>
    patch(v2("identityProviders", w.idp), { oidc: { clientId: "evil" } }),
  "a provider turned to a claim that people write themselves": (w) =>
    patch(v2("identityProviders", w.idp), { oidc: { groupsClaim: "nickname" } }),
  "v1: the same provider, replaced": (w) =>
    put(v1("identityProviders", w.idp), { name: "p", defaultRole: w.ownerRole, oidc: evil }),
  "v1: a provider of the caller": (w) =>
    post(v1("identityProviders", w.root), { name: "p", defaultRole: w.viewer, oidc: evil }),
  "SCIM, by a token that provisions": (w) =>
    post(`${v2("identityProviders", w.idp)}:generateScimToken`, {}),
  "a mapping to the owner's role": (w) =>
    post(v2("externalGroupRoleMappings", w.idp), mapping(w, w.ownerRole)),
  "v1: a mapping to the owner's role": (w) =>
    post(v1("externalGroupRoleMappings", w.idp), {
      externalGroupId: "mine",
      roleUidp: w.ownerRole,
      scope: w.root,
    }),
  "a mapping to the owner's role, changed to the caller's external group": (w) =>
    patch(v2("externalGroupRoleMappings", w.mappedHigh), { externalGroupId: "mine" }),
  "a mapping changed into the owner's role": (w) =>
    patch(v2("externalGroupRoleMappings", w.fixtures.externalGroupRoleMapping), {
      roleUid: w.ownerRole,
    }),
  "an invite with the owner's role": (w) =>
    post(v2("groupInvites", w.root), { roleUid: w.ownerRole, ttl }),
  "v1: an invite with the owner's role": (w) =>
    post(v1("group_invites", w.root), { role: w.ownerRole, ttl }),
  "an invite changed into the owner's role": (w) =>
    patch(v2("groupInvites", w.fixtures.groupInvite), { roleUid: w.ownerRole }),
  "an owner's invite, for another address": (w) =>
    patch(v2("groupInvites", w.inviteHigh), { email: "evil@people.example" }),
  "an owner's invite, for a longer time": (w) =>
    patch(v2("groupInvites", w.inviteHigh), { ttl: "9000s" }),
  "an owner's binding, given to oneself": (w) =>
    patch(v2("roleBindings", w.mightyBinding), { identityUid: w.clerk.uid }),
  "v1: an owner's binding, given to oneself": (w) =>
    put(v1("rolebindings", w.mightyBinding), { identity: w.clerk.uid, role: w.ownerRole }),
  "the matchers of an identity with more capabilities, changed to the caller's keys": (w) =>
    patch(v2("identities", w.mighty), { staticKeys: w.device }),
  "v1: the matchers of an identity with more capabilities": (w) =>
    put(v1("identities", w.mighty), {
      name: "m",
      claimMatch,
    }),
  "the group as a verified one": (w) => patch(v2("groups", w.root), { verified: true }),
  "v1: the group as a verified one": (w) =>
    put(v1("groups", w.root), { name: "g", verified: true }),
  "an account of a cloud": (w) =>
    post(v2("accountAssociations", w.root), {
      name: "mine",
      amazon: { account: "210987654321" },
    }),
  "a subscription to all events": (w) => post(subscriptions("v2", w.root), { sink: evil.issuer }),
};

/** Attacks by the owner of the group below, at the group above. */
export const byChief: EscalationAttacks = {
  "a binding above": (w) => post(v2("roleBindings", w.root), viewing(w)),
  "a binding below and above in one batch": (w) =>
    post("/iam/v2/roleBindings:batchCreate", {
      parent: w.root,
      requests: [{ roleBinding: viewing(w) }],
    }),
  "an invite above": (w) => post(v2("groupInvites", w.root), { roleUid: w.viewer, ttl }),
  "a role above": (w) =>
    post(v2("roles", w.root), { name: "mine", capabilities: ["CAP_REPO_LIST"] }),
  "an identity above": (w) => post(v2("identities", w.root), { name: "mine" }),
  "a provider above": (w) => post(v2("identityProviders", w.root), w.provider),
  "a mapping of a provider above": (w) =>
    post(v2("externalGroupRoleMappings", w.idp), mapping(w, w.viewer)),
  "a mapping of its own provider, with the organization as scope": (w) =>
    post(v2("externalGroupRoleMappings", w.below.identityProvider), mapping(w, w.viewer)),
  "v1: the same": (w) =>
    post(v1("externalGroupRoleMappings", w.below.identityProvider), {
      externalGroupId: "mine",
      roleUidp: w.viewer,
      scope: w.root,
    }),
  "a subscription to events above": (w) => post(subscriptions("v2", w.root), { sink: evil.issuer }),
  "v1: a subscription to events above": (w) =>
    post(subscriptions("v1", w.root), { sink: evil.issuer }),
  "a group next to its own": (w) => post(v2("groups", w.root), { name: "mine" }),
  "v1: a group next to its own": (w) => post(v1("groups", w.root), { name: "mine" }),
  "a sibling of its own group, by the name of the parent": (w) =>
    post(v2("groups", w.organization.name), { name: "mine" }),
  "the group above, by the body's uid": (w) =>
    patch(v2("groups", w.root), { uid: w.below.group, name: "mine" }),
  "terms accepted above": (w) => post(v2("terms", w.root), { documentIds: ["sfdpa.v1"] }),
  "a copy of a repo above": (w) =>
    post(`/registry/v2/repos/${w.root}`, {
      name: "mine",
      syncConfig: { source: w.fixtures.repo },
    }),
};

/** Attacks by an owner whose token is narrowed to capabilities that change access. */
export const byCapabilities: EscalationAttacks = {
  "a binding of more": (w) => post(v2("roleBindings", w.root), viewing(w)),
  "an invite of more": (w) => post(v2("groupInvites", w.root), { roleUid: w.viewer, ttl }),
  "a provider": (w) => post(v2("identityProviders", w.root), w.provider),
  "a mapping to more": (w) => post(v2("externalGroupRoleMappings", w.idp), mapping(w, w.viewer)),
  "a role with more": (w) =>
    patch(v2("roles", w.fixtures.role), { capabilities: ["CAP_REPO_LIST", "CAP_REPO_DELETE"] }),
  "the matchers of an identity that does more": (w) =>
    patch(v2("identities", w.mighty), {
      claimMatch,
    }),
};

/** Attacks by an owner whose token is narrowed to the group below. */
export const byScopes: EscalationAttacks = {
  "a binding above": (w) => post(v2("roleBindings", w.root), viewing(w)),
  "an invite above": (w) => post(v2("groupInvites", w.root), { roleUid: w.viewer, ttl }),
  "a provider above": (w) => post(v2("identityProviders", w.root), w.provider),
  "a subscription above": (w) => post(subscriptions("v2", w.root), { sink: evil.issuer }),
  "an organization": (_w) => post("/iam/v2/groups", { name: "mine" }),
};
