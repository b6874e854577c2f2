import { createHash } from "node:crypto";
import type { JWTPayload } from "jose";
import { beforeEach, describe, expect, test } from "vitest";
import { IdentitiesService } from "../../../schema/gen/platform/iam/v2/identities_pb.js";
import { newProvider } from "../../issuer/login/logins.ts";
import {
  newIdentity,
  newOrganization,
  newUser,
  type Persona,
  randomName,
  randomUid,
  roleUid,
} from "../../world/personas.ts";
import { callRest, clientOf, sql, tokenFor } from "../../world/platform.ts";
import { violatedField } from "../../world/resource_calls.ts";

let person: Persona;
beforeEach(async () => {
  person = await newUser();
});

const at = "/iam/v2/identities:updateIdentityMetadata";
const update = (identityMetadata: object, updateMask?: string, token = person.token) =>
  callRest(at, {
    method: "PATCH",
    token,
    body: { identityMetadata, ...(updateMask && { updateMask }) },
  });
const stored = (uid = person.uid) =>
  sql<{ metadata: string }>("select metadata from identity_metadata where uid = ?", uid);
const events = (uid = person.uid) =>
  sql<{ data: string; audience: string; group_uid: string }>(
    "select data, audience, group_uid from events where subject = ? order by time",
    uid,
  );

describe("the metadata of a person", () => {
  const metadata = {
    company: "Corp",
    updatesOptIn: true,
    product: "p",
    jobTitle: "j",
    utmCampaign: "a",
    utmContent: "b",
    utmMedium: "c",
    utmSource: "d",
    utmTerm: "e",
    latestFormSubmitUrl: "https://a.example/",
    latestInternalReferringUrl: "https://b.example/",
    selfServe: true,
    providers: ["AWS", "our own"],
  };

  test("are returned as they are stored, field by field", async () => {
    const { status, body } = await update(metadata);
    expect(status).toBe(200);
    expect(body).toEqual({ uid: person.uid, ...metadata });
    const again = await update({ jobTitle: "k" });
    expect(again.body).toEqual({ uid: person.uid, ...metadata, jobTitle: "k" });
  });

  test("change by the paths of the mask, and can be cleared", async () => {
    await update(metadata);
    const { body } = await update({ product: "q", jobTitle: "ignored" }, "product,utmTerm");
    const { utmTerm: _, ...kept } = metadata;
    expect(body).toEqual({ uid: person.uid, ...kept, product: "q" });
  });

  test("are replaced as a whole by *, over Connect", async () => {
    await update(metadata);
    const client = clientOf(IdentitiesService, person.token);
    const request = { identityMetadata: { product: "q" }, updateMask: { paths: ["*"] } };
    const { $typeName: _, ...answer } = await client.updateIdentityMetadata(request);
    expect(answer).toMatchObject({ uid: person.uid, product: "q", company: "", jobTitle: "" });
    expect((await update({})).body).toMatchObject({ product: "q", updatesOptIn: false });
  });

  test("have the names of the login, which the person cannot change", async () => {
    await sql(
      "insert into identity_metadata (uid, metadata, update_time) values (?, ?, 1)",
      person.uid,
      JSON.stringify({ name: "Ann Lee", givenName: "Ann", familyName: "Lee" }),
    );
    const { body } = await update({ name: "x", givenName: "x", uid: randomUid(), product: "q" });
    expect(body).toMatchObject({
      uid: person.uid,
      name: "Ann Lee",
      givenName: "Ann",
      familyName: "Lee",
      product: "q",
    });
  });

  test("have the same company as the identity", async () => {
    const organization = await newOrganization();
    const bot = await newIdentity(organization, undefined);
    const path = `/iam/v2/identities/${bot.uid}`;
    const { token } = organization.owner;
    const before = (await callRest(path, { token })).body;
    await update({ company: "Corp" }, undefined, bot.token);
    const after = (await callRest(path, { token })).body;
    const { lastUsedTime: _, ...kept } = after;
    const { updateTime, etag } = after;
    expect(kept).toEqual({ ...before, company: "Corp", updateTime, etag });
    expect(Date.parse(after.updateTime)).toBeGreaterThan(Date.parse(before.updateTime));
    await callRest(path, { method: "PATCH", token, body: { company: "Other" } });
    const own = await update({ product: "q" }, undefined, bot.token);
    expect(own.body.company).toBe("Other");
    expect((await callRest(path, { token })).body.updateTime).not.toBe(after.updateTime);
  });

  test("a marketing cookie is not stored, and is in no event and no response", async () => {
    const { body } = await update({ hubspotUtk: "cookie", product: "q" });
    expect(body.product).toBe("q");
    expect(JSON.stringify([body, await stored(), await events()])).not.toContain("cookie");
  });

  test("lose nothing if another call runs at the same time, even on the first change", async () => {
    const changes = [{ product: "p" }, { jobTitle: "j" }, { utmTerm: "t" }, { company: "c" }];
    const answers = await Promise.all(changes.map((one) => update(one)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect((await update({})).body).toMatchObject(Object.assign({}, ...changes));
    // The update of nothing makes none.
    expect(await events()).toHaveLength(4);
  });

  test.each([
    [{ company: "x".repeat(256) }, undefined, "identity_metadata.company"],
    [
      { latestFormSubmitUrl: "x".repeat(2049) },
      undefined,
      "identity_metadata.latest_form_submit_url",
    ],
    [{}, "nothing", "update_mask"],
  ])("are rejected if they break a rule", async (given, mask, field) => {
    const { status, body } = await update(given, mask);
    expect(status).toBe(400);
    expect(violatedField(body)).toBe(field);
    expect(await stored()).toEqual([]);
  });

  test("cannot be changed with a narrowed token, except a token that is narrowed only by its login", async () => {
    const { uid: group } = await newOrganization();
    const idp = await newProvider(group, { issuer: "https://people.example" });
    for (const [claims, status] of [
      [{ scopes: [group] }, 403],
      [{ capabilities: [1] }, 403],
      [{ idp, scopes: [`${group}/0123456789abcdef`] }, 403],
      [{ idp, scopes: [group], capabilities: [1] }, 403],
      [{ idp, scopes: [group] }, 200],
    ] as const) {
      const token = await tokenFor(person.uid, claims as JWTPayload);
      expect((await update({ company: "Corp" }, undefined, token)).status).toBe(status);
    }
    expect(await events()).toHaveLength(1);
  });

  test("are deleted with the identity", async () => {
    const organization = await newOrganization();
    const bot = await newIdentity(organization, undefined);
    await update({ product: "p" }, undefined, bot.token);
    expect(await stored(bot.uid)).toHaveLength(1);
    const { token } = organization.owner;
    await callRest(`/iam/v2/identities/${bot.uid}`, { method: "DELETE", token });
    expect(await stored(bot.uid)).toEqual([]);
    expect((await update({ product: "p" }, undefined, bot.token)).status).toBe(401);
  });
});

describe("the uid of a person", () => {
  const lookup = (issuer: string, subject: string, token = person.token) =>
    callRest(`/iam/v2/identities:lookupIdentity?${new URLSearchParams({ issuer, subject })}`, {
      token,
    });
  const issuer = "https://login.example";
  const uidOf = (of: string, subject: string) =>
    createHash("sha256").update(`${of}\n${subject}`).digest("hex").slice(0, 40);

  test("is computed from issuer and subject, before they ever log in", async () => {
    const subject = randomName("ann");
    const { status, body } = await lookup(issuer, subject);
    expect(status).toBe(200);
    expect(body).toEqual({ uid: uidOf(issuer, subject) });
    const organization = await newOrganization();
    const bound = await callRest(`/iam/v2/roleBindings/${organization.uid}`, {
      token: organization.owner.token,
      body: { identityUid: body.uid, roleUid: await roleUid("viewer") },
    });
    expect(bound.status).toBe(200);
  });

  test("is that of their identity once they have logged in", async () => {
    const subject = randomName("ann");
    await sql(
      "update identities set issuer = ?, subject = ? where uid = ?",
      issuer,
      subject,
      person.uid,
    );
    expect((await lookup(issuer, subject)).body).toEqual({ uid: person.uid });
  });

  test("differs from that of an organization's identity with the same issuer and subject", async () => {
    const subject = randomName("ann");
    const bot = await newIdentity(await newOrganization(), undefined);
    await sql(
      "update identities set issuer = ?, subject = ? where uid = ?",
      issuer,
      subject,
      bot.uid,
    );
    expect((await lookup(issuer, subject)).body).toEqual({ uid: uidOf(issuer, subject) });
  });

  test("is the same for both spellings of Google", async () => {
    const google = uidOf("https://accounts.google.com", "1");
    for (const spelling of ["accounts.google.com", "https://accounts.google.com"]) {
      expect((await lookup(spelling, "1")).body.uid).toBe(google);
    }
  });

  test.each([
    ["login.example", "s", "issuer"],
    ["http://login.example", "s", "issuer"],
    ["https://user@login.example", "s", "issuer"],
    ["", "s", "issuer"],
    ["https://login.example", "", "subject"],
  ])("cannot be looked up by %j and %j", async (of, subject, field) => {
    const { status, body } = await lookup(of, subject);
    expect(status).toBe(400);
    expect(violatedField(body)).toBe(field);
  });

  test("is not shown to a caller without an identity", async () => {
    expect((await lookup(issuer, "s", await tokenFor(randomUid()))).status).toBe(401);
  });
});
