/** Nobody hands on, or takes, more than they hold: every door but those of test/auth/escalation.test.ts. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Capability } from "../../schema/gen/platform/capabilities/v1/capability_pb.js";
import { newCaller, type Stock, stockOf } from "../contract/stock.ts";
import { identityProviderBody } from "../iam/openid_provider.ts";
import { exchange, exchanged, newMatcher } from "../issuer/exchange_call.ts";
import { type ForeignIssuer, startIssuer } from "../issuer/foreign_issuer.ts";
import { logInBy, newProvider, serveTokens, tokensOf } from "../issuer/login/logins.ts";
import {
  make,
  newIdentity,
  newOrganization,
  newUser,
  type Organization,
  randomName,
  roleUid,
} from "../world/personas.ts";
import { type Answer, audience, issuer as platform, rest, tokenFor } from "../world/platform.ts";
import { rowsOf } from "./own_rows.ts";

let issuer: ForeignIssuer;
let organization: Organization;
let root = "";
let stock: Stock;
let below: Stock;
let owner = "";
let ownerRole = "";
let viewer = "";
/** Does everything in IAM that is about access, and nothing in the registry; is no owner. */
let clerk: { uid: string; token: string; name: string };
let ownRole = "";
/** The owner of the group below. */
let chief = "";
let idp = "";
let mappedHigh = "";
let inviteHigh = "";
beforeAll(async () => {
  [organization, issuer] = await Promise.all([newOrganization(), startIssuer()]);
  ({ uid: root } = organization);
  owner = organization.owner.token;
  [ownerRole, viewer] = [await roleUid("owner"), await roleUid("viewer")];
  stock = await stockOf(organization);
  const group = await make(`/iam/v2/groups/${root}`, owner, { name: randomName("below") });
  below = await stockOf(organization, group.uid);
  chief = (await newIdentity(organization, "owner", { bindAt: group.uid })).token;
  clerk = await newCaller(root, clerical);
  const { body } = await rest(`/iam/v2/roleBindings?uidp.children_of=${root}`, { token: owner });
  ownRole = body.roleBindings.find((one: Bound) => one.identity.uid === clerk.uid).role.uid;
  idp = await newProvider(root, { issuer: issuer.url, groups_claim: "groups" });
  const mapping = { externalGroupId: "admins", roleUid: ownerRole, scope: root };
  mappedHigh = (await make(`/iam/v2/externalGroupRoleMappings/${idp}`, owner, mapping)).uid;
  const invite = { roleUid: ownerRole, ttl: "3600s", email: "boss@people.example" };
  inviteHigh = (await make(`/iam/v2/groupInvites/${root}`, owner, invite)).uid;
});
afterAll(() => issuer.close());

type Bound = { identity: { uid: string }; role: { uid: string } };

const clerical = [
  ...[Capability.CAP_IAM_ROLE_BINDINGS_CREATE, Capability.CAP_IAM_ROLE_BINDINGS_UPDATE],
  ...[Capability.CAP_IAM_ROLE_BINDINGS_LIST, Capability.CAP_IAM_ROLES_CREATE],
  ...[Capability.CAP_IAM_ROLES_UPDATE, Capability.CAP_IAM_ROLES_LIST],
  ...[Capability.CAP_IAM_IDENTITY_CREATE, Capability.CAP_IAM_IDENTITY_UPDATE],
  ...[Capability.CAP_IAM_GROUPS_CREATE, Capability.CAP_IAM_GROUPS_UPDATE],
  ...[Capability.CAP_IAM_GROUP_INVITES_CREATE, Capability.CAP_IAM_IDENTITY_PROVIDERS_CREATE],
  ...[Capability.CAP_IAM_IDENTITY_PROVIDERS_UPDATE, Capability.CAP_IAM_IDENTITY_PROVIDERS_LIST],
];

/** One attack: what is asked, as whom. */
type Attack = [name: string, ask: () => Promise<Answer>];
const v2 = (resource: string, uid: string) => `/iam/v2/${resource}/${uid}`;
const v1 = (resource: string, uid: string) => `/iam/v1/${resource}/${uid}`;
const post = (path: string, body: unknown, token = clerk.token) => rest(path, { token, body });
const patch = (path: string, body: unknown, token = clerk.token) =>
  rest(path, { method: "PATCH", token, body });
const put = (path: string, body: unknown, token = clerk.token) =>
  rest(path, { method: "PUT", token, body });
const oidc = { issuer: "https://evil.example", clientId: "evil" };

const byClerk: Attack[] = [
  [
    "v1: a binding of the owner's role",
    () => post(v1("rolebindings", root), { identity: clerk.uid, role: ownerRole }),
  ],
  [
    "v1: the same in a batch",
    () =>
      post(v1("rolebindings/batch", root), {
        roleBindings: [
          { identity: clerk.uid, role: viewer },
          { identity: clerk.uid, role: ownerRole },
        ],
      }),
  ],
  [
    "v1: a binding changed into the owner's role",
    () => put(v1("rolebindings", stock.roleBinding), { identity: clerk.uid, role: ownerRole }),
  ],
  [
    "v1: a role with what one lacks, bound to oneself",
    () => put(v1("roles", ownRole), { name: "mine", capabilities: ["repo.delete"] }),
  ],
  [
    "a role that one is bound to, with more",
    () => patch(v2("roles", ownRole), { capabilities: ["CAP_REPO_DELETE"] }),
  ],
  [
    "the same by a mask of everything",
    () =>
      patch(`${v2("roles", ownRole)}?updateMask=*`, {
        name: "mine",
        capabilities: ["CAP_REPO_DELETE"],
      }),
  ],
  [
    "a role of the group below, with more",
    () => patch(v2("roles", below.role), { capabilities: ["CAP_REPO_LIST", "CAP_REPO_DELETE"] }),
  ],
  [
    "a provider whose default role is the owner's",
    async () =>
      post(
        v2("identityProviders", root),
        await identityProviderBody({}, { defaultRole: ownerRole }),
      ),
  ],
  [
    "a provider at all, by whom people come in",
    async () => post(v2("identityProviders", root), await identityProviderBody()),
  ],
  [
    "the owner's role as default of a provider there is",
    () => patch(v2("identityProviders", idp), { defaultRole: ownerRole }),
  ],
  [
    "a provider turned to one's own issuer",
    () => patch(v2("identityProviders", idp), { oidc: { issuer: "https://evil.example" } }),
  ],
  [
    "a provider turned to one's own client",
    () => patch(v2("identityProviders", idp), { oidc: { clientId: "evil" } }),
  ],
  [
    "a provider turned to a claim that people write themselves",
    () => patch(v2("identityProviders", idp), { oidc: { groupsClaim: "nickname" } }),
  ],
  [
    "v1: the same provider, replaced",
    () => put(v1("identityProviders", idp), { name: "p", defaultRole: ownerRole, oidc }),
  ],
  [
    "v1: a provider of one's own",
    () => post(v1("identityProviders", root), { name: "p", defaultRole: viewer, oidc }),
  ],
  [
    "SCIM, by a token that provisions",
    () => post(`${v2("identityProviders", idp)}:generateScimToken`, {}),
  ],
  [
    "a mapping to the owner's role",
    () =>
      post(v2("externalGroupRoleMappings", idp), {
        externalGroupId: "mine",
        roleUid: ownerRole,
        scope: root,
      }),
  ],
  [
    "v1: a mapping to the owner's role",
    () =>
      post(v1("externalGroupRoleMappings", idp), {
        externalGroupId: "mine",
        roleUidp: ownerRole,
        scope: root,
      }),
  ],
  [
    "a mapping to the owner's role, turned to one's own group",
    () => patch(v2("externalGroupRoleMappings", mappedHigh), { externalGroupId: "mine" }),
  ],
  [
    "a mapping changed into the owner's role",
    () =>
      patch(v2("externalGroupRoleMappings", stock.externalGroupRoleMapping), {
        roleUid: ownerRole,
      }),
  ],
  [
    "an invite with the owner's role",
    () => post(v2("groupInvites", root), { roleUid: ownerRole, ttl: "60s" }),
  ],
  [
    "v1: an invite with the owner's role",
    () => post(v1("group_invites", root), { role: ownerRole, ttl: "60s" }),
  ],
  [
    "an invite changed into the owner's role",
    () => patch(v2("groupInvites", stock.groupInvite), { roleUid: ownerRole }),
  ],
  [
    "an owner's invite, for another address",
    () => patch(v2("groupInvites", inviteHigh), { email: "evil@people.example" }),
  ],
  [
    "an owner's invite, for a longer time",
    () => patch(v2("groupInvites", inviteHigh), { ttl: "9000s" }),
  ],
  [
    "an owner's binding, given to oneself",
    async () => patch(v2("roleBindings", await ownersBinding()), { identityUid: clerk.uid }),
  ],
  [
    "v1: an owner's binding, given to oneself",
    async () =>
      put(v1("rolebindings", await ownersBinding()), { identity: clerk.uid, role: ownerRole }),
  ],
  [
    "the matchers of an identity that holds more, to one's own keys",
    async () =>
      patch(v2("identities", await mighty()), {
        staticKeys: { issuer: "https://evil.example", subject: "me", issuerKeys: '{"keys":[]}' },
      }),
  ],
  [
    "v1: the matchers of an identity that holds more",
    async () =>
      put(v1("identities", await mighty()), {
        name: "m",
        claimMatch: { issuer: "https://evil.example", subject: "me" },
      }),
  ],
  ["the group as one that is verified", () => patch(v2("groups", root), { verified: true })],
  [
    "v1: the group as one that is verified",
    () => put(v1("groups", root), { name: "g", verified: true }),
  ],
  [
    "an account of a cloud",
    () =>
      post(v2("accountAssociations", root), { name: "mine", amazon: { account: "210987654321" } }),
  ],
  [
    "a subscription to all events",
    () => post(`/events/v2/subscriptions/${root}`, { sink: "https://evil.example" }),
  ],
];

const ownersBinding = async () => {
  const { body } = await rest(`/iam/v2/roleBindings?uidp.children_of=${root}`, { token: owner });
  return body.roleBindings.find((one: Bound) => one.role.uid === ownerRole)?.uid;
};
const mighty = async () => (await newIdentity(organization, "owner")).uid;

/** The owner of the group below, at the group above. */
const byChief: Attack[] = [
  [
    "a binding above",
    () => post(v2("roleBindings", root), { identityUid: stock.identity, roleUid: viewer }, chief),
  ],
  [
    "a binding below and above in one batch",
    () =>
      post(
        "/iam/v2/roleBindings:batchCreate",
        {
          parent: root,
          requests: [{ roleBinding: { identityUid: stock.identity, roleUid: viewer } }],
        },
        chief,
      ),
  ],
  ["an invite above", () => post(v2("groupInvites", root), { roleUid: viewer, ttl: "60s" }, chief)],
  [
    "a role above",
    () => post(v2("roles", root), { name: "mine", capabilities: ["CAP_REPO_LIST"] }, chief),
  ],
  ["an identity above", () => post(v2("identities", root), { name: "mine" }, chief)],
  [
    "a provider above",
    async () => post(v2("identityProviders", root), await identityProviderBody(), chief),
  ],
  [
    "a mapping of a provider above",
    () =>
      post(
        v2("externalGroupRoleMappings", idp),
        { externalGroupId: "mine", roleUid: viewer, scope: root },
        chief,
      ),
  ],
  [
    "a mapping of its own provider, with the organization as scope",
    () =>
      post(
        v2("externalGroupRoleMappings", below.identityProvider),
        { externalGroupId: "mine", roleUid: viewer, scope: root },
        chief,
      ),
  ],
  [
    "v1: the same",
    () =>
      post(
        v1("externalGroupRoleMappings", below.identityProvider),
        { externalGroupId: "mine", roleUidp: viewer, scope: root },
        chief,
      ),
  ],
  [
    "a subscription to events above",
    () => post(`/events/v2/subscriptions/${root}`, { sink: "https://evil.example" }, chief),
  ],
  [
    "v1: a subscription to events above",
    () => post(`/events/v1/subscriptions/${root}`, { sink: "https://evil.example" }, chief),
  ],
  ["a group beside its own", () => post(v2("groups", root), { name: "mine" }, chief)],
  ["v1: a group beside its own", () => post(v1("groups", root), { name: "mine" }, chief)],
  [
    "a group beside its own, by the name of the one above",
    () => post(v2("groups", organization.name), { name: "mine" }, chief),
  ],
  [
    "the group above, by the body's uid",
    () => patch(v2("groups", root), { uid: below.group, name: "mine" }, chief),
  ],
  ["terms accepted above", () => post(v2("terms", root), { documentIds: ["sfdpa.v1"] }, chief)],
  [
    "a copy of a repo above",
    () =>
      post(
        `/registry/v2/repos/${root}`,
        { name: "mine", syncConfig: { source: stock.repo } },
        chief,
      ),
  ],
];

/** The owner's own token, narrowed by an exchange. */
const narrowTo = async (parameters: Record<string, string | string[]>) =>
  (await exchanged(owner, parameters)).token;
const binder = () =>
  narrowTo({
    cap: [
      "role_bindings.create",
      "group_invites.create",
      "identity_providers.create",
      "identity.update",
      "roles.update",
    ],
  });
const lower = () => narrowTo({ scopes: below.group.slice(0, 57) });
const byNarrowed: Attack[] = [
  [
    "capabilities: a binding of more",
    async () =>
      post(
        v2("roleBindings", root),
        { identityUid: stock.identity, roleUid: viewer },
        await binder(),
      ),
  ],
  [
    "capabilities: an invite of more",
    async () => post(v2("groupInvites", root), { roleUid: viewer, ttl: "60s" }, await binder()),
  ],
  [
    "capabilities: a provider",
    async () => post(v2("identityProviders", root), await identityProviderBody(), await binder()),
  ],
  [
    "capabilities: a mapping to more",
    async () =>
      post(
        v2("externalGroupRoleMappings", idp),
        { externalGroupId: "x", roleUid: viewer, scope: root },
        await binder(),
      ),
  ],
  [
    "capabilities: a role with more",
    async () =>
      patch(
        v2("roles", stock.role),
        { capabilities: ["CAP_REPO_LIST", "CAP_REPO_DELETE"] },
        await binder(),
      ),
  ],
  [
    "capabilities: the matchers of an identity that does more",
    async () =>
      patch(
        v2("identities", await mighty()),
        { claimMatch: { issuer: "https://evil.example", subject: "me" } },
        await binder(),
      ),
  ],
  [
    "scopes: a binding above",
    async () =>
      post(
        v2("roleBindings", root),
        { identityUid: stock.identity, roleUid: viewer },
        await lower(),
      ),
  ],
  [
    "scopes: an invite above",
    async () => post(v2("groupInvites", root), { roleUid: viewer, ttl: "60s" }, await lower()),
  ],
  [
    "scopes: a provider above",
    async () => post(v2("identityProviders", root), await identityProviderBody(), await lower()),
  ],
  [
    "scopes: a subscription above",
    async () =>
      post(`/events/v2/subscriptions/${root}`, { sink: "https://evil.example" }, await lower()),
  ],
  ["scopes: an organization", async () => post("/iam/v2/groups", { name: "mine" }, await lower())],
  [
    "scopes: an invite of another group, accepted",
    async () => {
      const invite = await make(`/iam/v2/groupInvites/${root}`, owner, {
        roleUid: viewer,
        ttl: "60s",
      });
      const guest = await newUser();
      const token = await tokenFor(guest.uid, { scopes: [below.group] });
      return post("/iam/v2/groupInvites:accept", { code: invite.code }, token);
    },
  ],
];

describe.each<[string, Attack[]]>([
  ["who manages access and holds little else", byClerk],
  ["who owns the group below", byChief],
  ["with the owner's token narrowed", byNarrowed],
])("a caller %s is refused, and nothing is written:", (_, attacks) => {
  test.each(attacks)("%s", async (_, ask) => {
    // What the attack needs is made by then, and is made once more for the row count of the second time.
    const { status, body } = await ask();
    expect([status, body.code], body.message).toEqual([403, 7]);
    const events = async () => (await rowsOf(root)).outbox?.length;
    const before = await events();
    const again = await ask();
    expect(again.status).toBe(403);
    const mine = ((await rowsOf(root)).outbox ?? []).slice(before) as { data: string }[];
    for (const { data } of mine)
      expect(JSON.parse(data).actor.subject).toBe(organization.owner.uid);
  });
});

const scoped = (claims: object) => tokenFor(organization.owner.uid, claims);
const group = () => below.group.slice(0, 57);
const refused = 403;

/** What an exchange of a narrowed token answers: a refusal, or what stays of the narrowing. */
const exchanges: [
  string,
  () => Promise<string>,
  () => Record<string, string | string[]>,
  (() => object) | number,
][] = [
  [
    "no scope named",
    () => scoped({ scopes: [group()] }),
    () => ({}),
    () => ({ scopes: [group()] }),
  ],
  [
    "the scope above",
    () => scoped({ scopes: [group()] }),
    () => ({ scopes: root }),
    () => ({ scopes: [group()] }),
  ],
  [
    "the scope above as `scope`",
    () => scoped({ scopes: [group()] }),
    () => ({ scope: root }),
    () => ({ scopes: [group()] }),
  ],
  [
    "the scope and the one above",
    () => scoped({ scopes: [group()] }),
    () => ({ scopes: [group(), root] }),
    () => ({ scopes: [group()] }),
  ],
  ["another group", () => scoped({ scopes: [group()] }), () => ({ scopes: stock.group }), refused],
  [
    "no scopes at all in the token",
    () => scoped({ scopes: [] }),
    () => ({ scopes: root }),
    refused,
  ],
  [
    "no capability named",
    () => scoped({ capabilities: [Capability.CAP_REPO_LIST] }),
    () => ({}),
    () => ({ capabilities: [Capability.CAP_REPO_LIST] }),
  ],
  [
    "a capability more",
    () => scoped({ capabilities: [Capability.CAP_REPO_LIST] }),
    () => ({ cap: ["repo.list", "repo.delete"] }),
    () => ({ capabilities: [Capability.CAP_REPO_LIST] }),
  ],
  [
    "another capability",
    () => scoped({ capabilities: [Capability.CAP_REPO_LIST] }),
    () => ({ cap: "repo.delete" }),
    refused,
  ],
  [
    "no capabilities at all in the token",
    () => scoped({ capabilities: [] }),
    () => ({ cap: "repo.list" }),
    refused,
  ],
  [
    "an identity that names the bearer, whose scopes stay",
    () => scoped({ scopes: [group()] }),
    () => ({ identity: friend }),
    () => ({ scopes: [group()], sub: friend }),
  ],
  [
    "such an identity, with more capabilities",
    () => scoped({ capabilities: [Capability.CAP_REPO_LIST] }),
    () => ({ identity: friend, cap: ["repo.list", "repo.delete"] }),
    () => ({ capabilities: [Capability.CAP_REPO_LIST] }),
  ],
];
let friend = "";

describe("an exchange never widens:", () => {
  beforeAll(async () => {
    const claimMatch = { issuer: platform, subject: organization.owner.uid };
    friend = await newMatcher(organization, { claimMatch }, "owner");
  });
  test.each(exchanges)("%s", async (_, make, parameters, outcome) => {
    const token = await make();
    if (typeof outcome === "number") {
      expect((await exchange(token, parameters())).status).toBe(outcome);
    } else expect((await exchanged(token, parameters())).claims).toMatchObject(outcome());
  });
});

describe("a login reaches its provider's organization, however it is refreshed or exchanged:", () => {
  const widen: [string, () => Record<string, string>][] = [
    ["by another organization's uid", () => ({ scopes: elsewhere.uid })],
    ["by another organization's group", () => ({ scopes: `${elsewhere.uid}/${"0".repeat(16)}` })],
  ];
  let elsewhere: Organization;
  beforeAll(async () => {
    elsewhere = await newOrganization();
  });
  const login = async (more: object = {}, query: Record<string, string> = {}) =>
    logInBy(issuer, serveTokens(issuer), idp, { sub: randomName("ada"), ...more }, query);

  test.each(widen)("%s", async (_, parameters) => {
    const { token, refreshToken = "" } = tokensOf(
      await login({}, { create_refresh_token: "true" }),
    );
    expect((await exchange(token, parameters())).status).toBe(403);
    const query = new URLSearchParams({ aud: audience, ...parameters() });
    const path = `/sts/exchange_refresh_token?${query}`;
    expect((await rest(path, { method: "POST", token: refreshToken })).status).toBe(403);
    const idToken = await issuer.sign({ aud: "public", sub: randomName("ada") });
    const asked = { identity_provider: idp, ...parameters() };
    expect((await exchange(idToken, asked)).status).toBe(403);
    const direct = await login({}, { scope: parameters().scopes ?? "" });
    expect(direct.location.searchParams.has("token")).toBe(false);
  });

  test("by groups that the person claims and no mapping names", async () => {
    const { token } = tokensOf(await login({ groups: ["root", "owners", ownerRole] }));
    expect((await rest(`/iam/v2/identities/${root}`, { token, body: { name: "x" } })).status).toBe(
      403,
    );
  });
});
