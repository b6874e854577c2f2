import { decodeJwt } from "jose";
import { expect, test } from "vitest";
import { newOrganization } from "../../world/personas.ts";
import { issuer, registryAudience } from "../../world/platform.ts";
import { credentialHelper, newStateFolder, runProgramFile } from "../command.ts";

const organization = await newOrganization();
const env = { PLATFORM_STATE: await newStateFolder(organization) };
const helper = (action: string, input = "") => credentialHelper(action, { env, input });

test("the program answers as its function does", async () => {
  const spawned = await runProgramFile("docker-credential-platform.js", ["list"], { env });
  expect(spawned).toEqual(await helper("list"));
  expect(spawned.code).toBe(0);
});

test.each([registryAudience, `https://${registryAudience}`, `http://${registryAudience}/v2/`])(
  "get returns a registry token for %s",
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
  "get rejects another registry (%s)",
  async (server) => {
    const answer = await helper("get", server);
    expect(answer).toMatchObject({ code: 1, out: "credentials not found in native keychain\n" });
  },
);

test("list returns the registry and the user", async () => {
  const { code, out } = await helper("list");
  expect(code).toBe(0);
  expect(JSON.parse(out)).toEqual({ [registryAudience]: "_token" });
});

test("store accepts a token for the registry, and stores nothing", async () => {
  const input = { ServerURL: registryAudience, Username: "_token", Secret: "x" };
  const answer = await helper("store", JSON.stringify(input));
  expect(answer).toMatchObject({ code: 0, out: "" });
  expect(answer.err).toMatch(/platformctl auth login/);
});

test.each([
  { ServerURL: "ghcr.io", Username: "me", Secret: "x" },
  { ServerURL: registryAudience, Username: "me", Secret: "x" },
])("store rejects a password, which would otherwise be lost (%j)", async (credential) => {
  const { code, out } = await helper("store", JSON.stringify(credential));
  expect(code).toBe(1);
  expect(out).toMatch(/does not store passwords/);
});

test("erase succeeds, because nothing is stored", async () => {
  expect(await helper("erase", registryAudience)).toMatchObject({ code: 0, out: "" });
});

test("an unknown action is rejected on standard output, where docker reads", async () => {
  const { code, out } = await helper("dance");
  expect(code).toBe(1);
  expect(out).toMatch(/get\|list\|store\|erase/);
});
