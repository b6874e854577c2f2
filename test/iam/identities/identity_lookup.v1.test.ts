import { createHash } from "node:crypto";
import { beforeEach, describe, expect, test } from "vitest";
import {
  createResource,
  newOrganization,
  newUser,
  type Organization,
  randomName,
  roleUid,
} from "../../world/personas.ts";
import { callRest, sql, tokenFor } from "../../world/platform.ts";
import { violatedFields } from "../../world/resource_calls.ts";

let organization: Organization;
let token: string;
beforeEach(async () => {
  organization = await newOrganization();
  token = organization.owner.token;
});

describe("a lookup of an identity", () => {
  const issuer = "https://accounts.example";
  const lookup = (subject: string, as = token, of = issuer) =>
    callRest(`/iam/v1/identities/lookup?issuer=${encodeURIComponent(of)}&subject=${subject}`, {
      token: as,
    });
  const uidOf = (subject: string, of = issuer) =>
    createHash("sha256").update(`${of}\n${subject}`).digest("hex").slice(0, 40);

  async function register(subject: string) {
    const uid = uidOf(subject);
    const relationship = { case: "claimMatch", value: { issuer, subject } };
    await sql(
      `insert into identities (uid, name, email, company, relationship_type, relationship, issuer, subject,
       last_seen_time, create_time, update_time) values (?, 'ann', 'a@b.example', 'Corp', 1, ?, ?, ?, 1, 1, 1)`,
      uid,
      JSON.stringify(relationship),
      issuer,
      subject,
    );
    return uid;
  }

  test("returns the same for registered and unregistered people: the id, and the searched values", async () => {
    const [known, unknown] = [randomName("known"), randomName("unknown")];
    const uid = await register(known);
    expect((await lookup(known)).body).toEqual({
      id: uid,
      claimMatch: { issuer, subject: known },
    });
    expect((await lookup(unknown)).body).toEqual({
      id: uidOf(unknown),
      claimMatch: { issuer, subject: unknown },
    });
  });

  test("of the caller returns the whole identity", async () => {
    const subject = randomName("me");
    const uid = await register(subject);
    const { body } = await lookup(subject, await tokenFor(uid));
    expect(body).toEqual({
      ...{ id: uid, name: "ann", claimMatch: { issuer, subject } },
      createdAt: "1970-01-01T00:00:00.001Z",
      updatedAt: "1970-01-01T00:00:00.001Z",
      lastSeen: "1970-01-01T00:00:00.001Z",
    });
  });

  test("finds the same id as version 2, and a role can be bound to it in advance", async () => {
    const subject = randomName("later");
    const { id } = (await lookup(subject)).body;
    const v2 = await callRest(
      `/iam/v2/identities:lookupIdentity?issuer=${encodeURIComponent(issuer)}&subject=${subject}`,
      { token },
    );
    expect(v2.body).toEqual({ uid: id });
    const binding = { identityUid: id, roleUid: await roleUid("viewer") };
    await createResource(`/iam/v2/roleBindings/${organization.uid}`, token, binding);
  });

  test("accepts any valid token and an https issuer, and requires both fields", async () => {
    const { token: nobody } = await newUser();
    expect((await lookup("s", nobody)).status).toBe(200);
    expect((await lookup("s", "garbage")).status).toBe(401);
    expect(violatedFields((await lookup("s", token, "http://a.example")).body)).toEqual(["issuer"]);
    expect(violatedFields((await lookup("", token)).body)).toEqual(["subject"]);
    const google = (await lookup("s", token, "accounts.google.com")).body;
    expect(google).toEqual({
      id: uidOf("s", "https://accounts.google.com"),
      claimMatch: { issuer: "https://accounts.google.com", subject: "s" },
    });
  });
});
