import { decodeJwt } from "jose";
import { expect, test } from "vitest";
import { newOrganization } from "../../world/personas.ts";
import { issuer, registryAudience } from "../../world/platform.ts";
import { newStateFolder, runProgramFile } from "../command.ts";

const organization = await newOrganization();
const env = { PLATFORM_STATE: await newStateFolder(organization) };
const helper = (action: string, input = "") =>
  runProgramFile("docker-credential-platform.js", [action], { env, input });

test.each([registryAudience, `https://${registryAudience}`, `http://${registryAudience}/v2/`])(
  "get answers a registry token for %s",
  async (server) => {
    const { code, out } = await helper("get", `${server}\n`);
    expect(code).toBe(0);
    const credential = JSON.parse(out);
    expect(credential).toMatchObject({ ServerURL: server, Username: "_token" });
    expect(decodeJwt(credential.Secret)).toMatchObject({
      iss: issuer,
      sub: organization.owner.uid,
      aud: registryAudience,
    });
  },
);

test.each(["https://index.docker.io/v1/", "localhost:1", `evil${registryAudience}`, "", "::"])(
  "get knows no other registry (%s)",
  async (server) => {
    const answer = await helper("get", server);
    expect(answer).toMatchObject({ code: 1, out: "credentials not found in native keychain\n" });
  },
);

test("list names the registry and the user", async () => {
  const { code, out } = await helper("list");
  expect(code).toBe(0);
  expect(JSON.parse(out)).toEqual({ [registryAudience]: "_token" });
});

test("store accepts a token for the registry, which needs no storing", async () => {
  const input = { ServerURL: registryAudience, Username: "_token", Secret: "x" };
  const answer = await helper("store", JSON.stringify(input));
  expect(answer).toMatchObject({ code: 0, out: "" });
  expect(answer.err).toMatch(/platformctl auth login/);
});

test.each([
  { ServerURL: "ghcr.io", Username: "me", Secret: "x" },
  { ServerURL: registryAudience, Username: "me", Secret: "x" },
])("store refuses a password rather than lose it (%j)", async (credential) => {
  const { code, out } = await helper("store", JSON.stringify(credential));
  expect(code).toBe(1);
  expect(out).toMatch(/does not store passwords/);
});

test("erase is fine with there being nothing", async () => {
  expect(await helper("erase", registryAudience)).toMatchObject({ code: 0, out: "" });
});

test("an unknown action is refused on standard output, where docker looks", async () => {
  const { code, out } = await helper("dance");
  expect(code).toBe(1);
  expect(out).toMatch(/get\|list\|store\|erase/);
});
