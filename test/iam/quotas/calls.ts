/** Calls about quotas, and organizations for their tests. */
import { expect } from "vitest";
import {
  createResource,
  makeOperator,
  newOrganization,
  type Organization,
  randomName,
} from "../../world/personas.ts";
import { callRest, sql } from "../../world/platform.ts";
import { newIdentityProvider } from "../identity_providers/openid_provider.ts";
import type { Kind, Place } from "./kinds.ts";

export interface Quota {
  kind: string;
  limit?: string;
  own: boolean;
  used: string;
  nearLimit: boolean;
  etag: string;
}

export const path = (uid: string) => `/iam/v2/quotas/${uid}`;

export async function quotaOf({ uid, owner }: Organization, kind: string): Promise<Quota> {
  const { status, body } = await callRest(path(uid), { token: owner.token });
  expect(status).toBe(200);
  return body.quotas.find((one: Quota) => one.kind === `QUOTA_KIND_${kind}`);
}

export const usedOf = async (organization: Organization, kind: string) =>
  Number((await quotaOf(organization, kind)).used);

export const update = (uid: string, token: string, kind: string, value: object) =>
  callRest(path(uid), {
    method: "PATCH",
    token,
    body: { kind: `QUOTA_KIND_${kind}`, ...value },
  });

/** Sets the limit over the API, as the operator. */
export async function setLimit({ uid, owner }: Organization, kind: string, limit: number) {
  const answer = await update(uid, owner.token, kind, { limit: String(limit) });
  expect([answer.status, answer.body.limit]).toEqual([200, String(limit)]);
}

/** An organization whose owner is its operator too. */
export async function newOperated(): Promise<Organization> {
  const organization = await newOrganization("quotas");
  await makeOperator(organization);
  return organization;
}

export async function newPlace(): Promise<Place> {
  const organization = await newOperated();
  const { uid, owner } = organization;
  const name = randomName("repo");
  const [repo, provider] = await Promise.all([
    createResource(`/registry/v2/repos/${uid}`, owner.token, { name }),
    newIdentityProvider(organization),
  ]);
  return { organization, repo: repo.uid, provider: provider.uid };
}

/** The rows that a refused call must not write. */
export const eventsIn = async ({ uid }: Organization) =>
  (await sql("select seq from events where group_uid = ? or group_uid like ?", uid, `${uid}/%`))
    .length;

export async function grow(place: Place, { grow: growth }: Kind, query = "") {
  const { path: to, body } = await growth(place);
  return callRest(`${to}${query}`, { token: place.organization.owner.token, body });
}

/** The QuotaFailure of a call. */
export const failureOf = (uid: string, kind: string, limit: number) => ({
  "@type": "type.googleapis.com/google.rpc.QuotaFailure",
  violations: [
    {
      subject: `organization:${uid}`,
      description: `quota ${kind.toLowerCase()}: limit ${limit}, use ${limit + 1}`,
    },
  ],
});
