import { beforeEach, describe, expect, test } from "vitest";
import { newUser, type Persona } from "../../world/personas.ts";
import { callRest, sql } from "../../world/platform.ts";
import { violatedField } from "../../world/resource_calls.ts";

let person: Persona;
beforeEach(async () => {
  person = await newUser();
});

const update = (body: object, token = person.token) =>
  callRest("/iam/v1/identities/metadata", { method: "PATCH", token, body });
const updateV2 = (identityMetadata: object, updateMask?: string) =>
  callRest("/iam/v2/identities:updateIdentityMetadata", {
    method: "PATCH",
    token: person.token,
    body: { identityMetadata, ...(updateMask && { updateMask }) },
  });
const companyOf = async ({ uid }: Persona) =>
  (await sql<{ company: string }>("select company from identities where uid = ?", uid))[0]?.company;
const events = ({ uid }: Persona) =>
  sql<Record<string, string>>(
    `select * from events where json_extract(data, '$.actor.subject') = ? order by time`,
    uid,
  );

const same = {
  providers: ["AWS", "our own"],
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
};
const answers = { companyName: "Corp", ...same };

describe("the metadata of a person, by version 1", () => {
  test("are returned as they are stored, the same in both versions", async () => {
    const { status, body } = await update({ onboardingQuestions: answers, updatesOptIn: true });
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body).toEqual({ onboardingQuestions: answers, updatesOptIn: true });
    expect((await updateV2({})).body).toEqual({
      ...{ uid: person.uid, company: "Corp", updatesOptIn: true, ...same },
    });
    expect(await companyOf(person)).toBe("Corp");
    await updateV2({ jobTitle: "k" });
    const later = await update({ updatesOptIn: true });
    expect(later.body.onboardingQuestions).toEqual({ ...answers, jobTitle: "k" });
  });

  test("are replaced if answers are sent, and stay if none are", async () => {
    await update({ onboardingQuestions: answers, updatesOptIn: true });
    const optedOut = await update({ updatesOptIn: false });
    expect(optedOut.body).toEqual({ onboardingQuestions: answers, updatesOptIn: false });
    const replaced = await update({ onboardingQuestions: { product: "q" } });
    const rest = { product: "q", selfServe: false };
    expect(replaced.body).toEqual({ onboardingQuestions: rest, updatesOptIn: false });
    expect(await companyOf(person)).toBe("");
  });

  test("without the flag do not request news", async () => {
    await update({ updatesOptIn: true });
    expect((await update({})).body.updatesOptIn).toBe(false);
  });

  test("have the names of the login, which the person cannot change", async () => {
    await sql(
      "insert into identity_metadata (uid, metadata, update_time) values (?, ?, 1)",
      person.uid,
      JSON.stringify({ name: "Ann Lee", givenName: "Ann", familyName: "Lee" }),
    );
    const { body } = await update({ name: "Bob", givenName: "B", familyName: "C" });
    expect(body).toMatchObject({ name: "Ann Lee", givenName: "Ann", familyName: "Lee" });
  });

  test("drop the cookie of a marketing tool", async () => {
    const onboardingQuestions = { product: "p", hubspotUtk: "cookie" };
    const { body } = await update({ onboardingQuestions });
    const stored = await sql("select * from identity_metadata where uid = ?", person.uid);
    expect(JSON.stringify([body, stored, await events(person)])).not.toContain("cookie");
  });
});

test.each([
  ["company_name", { companyName: "c".repeat(256) }],
  ["job_title", { jobTitle: "j".repeat(256) }],
  ["providers[1]", { providers: ["a", ""] }],
  ["latest_form_submit_url", { latestFormSubmitUrl: "u".repeat(2049) }],
])(
  "with %s too long or empty are rejected by that name, and nothing is stored",
  async (field, given) => {
    const { status, body } = await update({ onboardingQuestions: given, updatesOptIn: true });
    expect(status).toBe(400);
    expect(violatedField(body)).toBe(`onboarding_questions.${field}`);
    expect(body.message).not.toContain("identity_metadata");
    expect(await events(person)).toEqual([]);
  },
);
