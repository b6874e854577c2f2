/** The session of a login by a code: it is seen and ended like any other, also before the program has its token. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { newOrganization, type Organization, randomName } from "../../world/personas.ts";
import { callRest, sql } from "../../world/platform.ts";
import { newProvider } from "../login/logins.ts";
import { type OpenidProvider, startProvider } from "../login/openid_provider.ts";
import {
  answer,
  approve,
  DeviceBrowser,
  logInFor,
  poll,
  requestCode,
  typeCode,
} from "./device_flow.ts";

let provider: OpenidProvider;
let organization: Organization;
let idp: string;
beforeAll(async () => {
  provider = await startProvider();
  organization = await newOrganization();
  idp = await newProvider(organization.uid, { issuer: provider.url });
});
afterAll(() => provider.close());

const sessionsNow = async (): Promise<{ uid: string; client?: string; kind?: string }[]> => {
  const path = `/iam/v2/sessions:search?group_uid=${organization.uid}`;
  return (await callRest(path, { token: organization.owner.token })).body.sessions ?? [];
};
const end = (...uids: string[]) =>
  callRest("/iam/v2/sessions:end", { token: organization.owner.token, body: { uids } });

test("a program gets no token if the session is ended before, and its token fails if it is ended later", async () => {
  const first = await requestCode();
  await approve(first.user_code, idp, randomName("ada"));
  const [session] = await sessionsNow();
  expect(session).toMatchObject({ kind: "KIND_HEADLESS", client: "platformctl" });
  await end(session?.uid ?? "");
  const refused = await poll(first.device_code);
  expect([refused.status, refused.body.error]).toEqual([400, "invalid_grant"]);

  const second = await requestCode();
  await approve(second.user_code, idp, randomName("ada"));
  const { access_token: token } = (await poll(second.device_code)).body;
  const works = async () => (await callRest("/registry/v2/repos", { token })).status;
  expect(await works()).toBe(200);
  await end(...(await sessionsNow()).map(({ uid }) => uid));
  expect(await works()).toBe(401);
});

test("a login whose code was answered before leaves no session, and the earlier answer counts", async () => {
  for (const [answers, error, left] of [
    [["refuse", "approve"], "access_denied", 0],
    [["approve", "approve"], undefined, 1],
  ] as const) {
    await sql("delete from sessions where uid like ?", `${organization.uid}/%`);
    const { device_code, user_code } = await requestCode();
    const questions = [];
    for (const browser of [new DeviceBrowser(), new DeviceBrowser()]) {
      const page = await typeCode(user_code, browser);
      questions.push({ browser, page: await logInFor(page, idp, randomName("ada"), browser) });
    }
    const pages = [];
    for (const [index, { page, browser }] of questions.entries())
      pages.push(await answer(page, answers[index] ?? "", browser));
    expect(pages[1]?.text).toContain("the code was answered before");
    expect((await poll(device_code)).body.error).toBe(error);
    expect(await sessionsNow()).toHaveLength(left);
  }
});
