/** The calls by which an organization could lose its last owner, each in both versions. */
import { expect } from "vitest";
import { createResource, newOrganization, newUser, roleUid } from "../../world/personas.ts";
import { type Answer, callRest, sql } from "../../world/platform.ts";
import {
  identityProviderBody,
  newIdentityProvider,
  sharedProvider,
  startOpenidProvider,
} from "../identity_providers/openid_provider.ts";
import {
  bindOwner,
  claimMatch,
  newIdentityWithMatcher,
  newLoginPerson,
  newOwnerlessOrganization,
  ownerCapabilities,
  staticKeys,
} from "./owners.ts";

/** An organization with one owner, and a call that would remove that owner. */
export interface PreparedRemoval {
  uid: string;
  ask: () => Promise<Answer>;
}

export type OwnerRemoval = (version: "v1" | "v2") => Promise<PreparedRemoval>;

export const prepareCall = (method: string, path: string, token: string, body?: unknown) => () =>
  callRest(path, { method, token, ...(body === undefined ? {} : { body }) });

/** The founder's binding, changed to another identity or role. */
const changed =
  (
    to: (organization: { uid: string }) => Promise<{ identity?: string; role?: string }>,
  ): OwnerRemoval =>
  async (version) => {
    const organization = await newOrganization();
    const { uid, owner } = organization;
    const [binding] = await sql<{ uid: string }>(
      "select uid from role_bindings where parent = ?",
      uid,
    );
    const next = await to(organization);
    const identity = next.identity ?? owner.uid;
    const role = next.role ?? (await roleUid("owner"));
    const ask =
      version === "v2"
        ? prepareCall("PATCH", `/iam/v2/roleBindings/${binding?.uid}`, owner.token, {
            identityUid: identity,
            roleUid: role,
          })
        : prepareCall("PUT", `/iam/v1/rolebindings/${binding?.uid}`, owner.token, {
            identity,
            role,
          });
    return { uid, ask };
  };

/** A workload that is the only owner, and a token of the workload. */
export async function newWorkloadOwner(
  type = 1,
  relationship: Parameters<typeof newIdentityWithMatcher>[2] = claimMatch(),
) {
  const { uid } = await newOwnerlessOrganization();
  const workload = await newIdentityWithMatcher(uid, type, relationship);
  await bindOwner(uid, workload.uid);
  return { uid, workload };
}

/** An organization whose only owner logs in through its provider. */
async function newLoginOwner() {
  const organization = await newOrganization();
  const { uid: idp } = await newIdentityProvider(organization);
  const { url } = await sharedProvider();
  await sql("delete from role_bindings where parent = ?", organization.uid);
  const person = await newLoginPerson(url);
  await bindOwner(organization.uid, person.uid);
  return { uid: organization.uid, idp, person };
}

export const ownerRemovals: Record<string, OwnerRemoval> = {
  "deletes their own binding": async (version) => {
    const { uid, owner } = await newOrganization();
    const [binding] = await sql<{ uid: string }>(
      "select uid from role_bindings where parent = ?",
      uid,
    );
    const name = version === "v2" ? "roleBindings" : "rolebindings";
    return {
      uid,
      ask: prepareCall("DELETE", `/iam/${version}/${name}/${binding?.uid}`, owner.token),
    };
  },
  "lowers the role of their binding": changed(async () => ({ role: await roleUid("editor") })),
  "binds a stranger in their place, who has not accepted": changed(async () => ({
    identity: (await newUser()).uid,
  })),
  "binds an identity in their place that accepts no token": changed(async ({ uid }) => ({
    identity: (await newIdentityWithMatcher(uid, 0, null)).uid,
  })),
  "lowers a role that is as good as owner": async (version) => {
    const { uid, owner } = await newOrganization();
    const capabilities = await ownerCapabilities(owner.token);
    const role = await createResource(`/iam/v2/roles/${uid}`, owner.token, {
      name: "boss",
      capabilities,
    });
    await sql("update role_bindings set role_uid = ? where parent = ?", role.uid, uid);
    const less = capabilities.filter((one) => one !== "CAP_REPO_CREATE");
    expect(less.length).toBe(capabilities.length - 1);
    const ask =
      version === "v2"
        ? prepareCall("PATCH", `/iam/v2/roles/${role.uid}`, owner.token, { capabilities: less })
        : prepareCall("PUT", `/iam/v1/roles/${role.uid}`, owner.token, {
            name: "boss",
            capabilities: await namesInV1(owner.token, role.uid, "repo.create"),
          });
    return { uid, ask };
  },
  "deletes the identity that owns": async (version) => {
    const { uid, workload } = await newWorkloadOwner();
    return {
      uid,
      ask: prepareCall("DELETE", `/iam/${version}/identities/${workload.uid}`, workload.token),
    };
  },
  "takes the matchers from the identity that owns": async (version) => {
    const { uid, workload } = await newWorkloadOwner();
    const path = `/iam/${version}/identities/${workload.uid}`;
    return version === "v2"
      ? { uid, ask: prepareCall("PATCH", `${path}?updateMask=claim_match`, workload.token, {}) }
      : { uid, ask: prepareCall("PUT", path, workload.token, { name: "owner" }) };
  },
  "lets the keys of the identity that owns expire": async (version) => {
    const far = new Date(Date.now() + 86_400_000).toISOString();
    const { uid, workload } = await newWorkloadOwner(2, staticKeys(far));
    const { value } = staticKeys("1970-01-02T00:00:00Z");
    const path = `/iam/${version}/identities/${workload.uid}`;
    const { expirationTime: expiration, ...keys } = value;
    return version === "v2"
      ? { uid, ask: prepareCall("PATCH", path, workload.token, { staticKeys: value }) }
      : {
          uid,
          ask: prepareCall("PUT", path, workload.token, {
            name: "o",
            static: { ...keys, expiration },
          }),
        };
  },
  "deletes the provider that the owner comes in by": async (version) => {
    const { uid, idp, person } = await newLoginOwner();
    return {
      uid,
      ask: prepareCall("DELETE", `/iam/${version}/identityProviders/${idp}`, person.token),
    };
  },
  "makes that provider one of another issuer": async (version) => {
    const { uid, idp, person } = await newLoginOwner();
    const issuer = await anotherIssuer();
    const { name, defaultRole, oidc } = await identityProviderBody({ issuer });
    const path = `/iam/${version}/identityProviders/${idp}`;
    return version === "v2"
      ? {
          uid,
          ask: prepareCall("PATCH", path, person.token, {
            oidc: { issuer, clientSecret: "other" },
          }),
        }
      : { uid, ask: prepareCall("PUT", path, person.token, { name, defaultRole, oidc }) };
  },
  "switches provisioning on while no token of it works": async (version) => {
    const { uid, idp, person } = await newLoginOwner();
    // Two are bound, and both come in by the provider only.
    await bindOwner(uid, (await newLoginPerson((await sharedProvider()).url)).uid);
    const path = `/iam/${version}/identityProviders/${idp}`;
    const ask = (name: string, body: object) =>
      prepareCall("POST", `${path}:${name}`, person.token, body)();
    const { etag } = (await ask("generateScimToken", {})).body;
    const revoked = await ask("revokeScimToken", { etag });
    const on = { enabled: true, etag: revoked.body.etag };
    return { uid, ask: () => ask("setScimEnabled", on) };
  },
};

/** The capabilities of a role in the names of version 1, except one. */
async function namesInV1(token: string, role: string, without: string): Promise<string[]> {
  const { body } = await callRest(`/iam/v1/roles?id=${role}`, { token });
  const [{ capabilities }] = body.items as [{ capabilities: string[] }];
  expect(capabilities).toContain(without);
  return capabilities.filter((one) => one !== without);
}

const anotherIssuer = async () => (await startOpenidProvider()).url;
