/** `platformctl auth doctor` shows why a token is refused, and never shows the token. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { styleText } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newIdentityWithMatchers } from "../../issuer/exchange_call.ts";
import { type ForeignIssuer, startIssuer } from "../../issuer/foreign_issuer.ts";
import { newOrganization, type Organization } from "../../world/personas.ts";
import { issuer as platform } from "../../world/platform.ts";
import { type CommandOptions, newFolder, newStateFolder, platformctl } from "../command.ts";

let organization: Organization;
let issuer: ForeignIssuer;
let env: Record<string, string>;
let folder: string;
const subject = "repo:acme/app:ref:refs/heads/main";

beforeAll(async () => {
  organization = await newOrganization();
  issuer = await startIssuer();
  folder = await newFolder();
  await newIdentityWithMatchers(organization, { claimMatch: { issuer: issuer.url, subject } });
  env = { PLATFORM_STATE: await newStateFolder(organization), PLATFORM_GROUP: organization.uid };
});
afterAll(() => issuer.close());

async function fileWith(text: string): Promise<string> {
  const file = join(folder, `${Math.random()}.txt`);
  await writeFile(file, text);
  return file;
}

const doctor = (args: string[], options: CommandOptions = {}) =>
  platformctl(["auth", "doctor", ...args], { env, ...options });

test("a token that an identity accepts ends with 0, from a file and with a Bearer prefix", async () => {
  const token = await issuer.sign({ sub: subject });
  for (const text of [token, `${token}\n`, `Bearer ${token}`]) {
    const { code, out, err } = await doctor(["--token-file", await fileWith(text)]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toContain("✓ signature");
    expect(out).toContain("The identity accepts");
    expect(out).not.toContain(token.slice(0, 30));
  }
});

test("a token that no identity accepts ends with 1, and the output marks the difference", async () => {
  const token = await issuer.sign({ sub: subject.replace("main", "Main") });
  const file = await fileWith(token);
  const { code, out } = await doctor(["--token-file", file]);
  expect(code).toBe(1);
  expect(out).toContain("✗ The token does not match claim_match.subject.");
  expect(out).toContain("difference  repo:acme/app:ref:refs/heads/[-main-]{+Main+}");
  expect(out).toContain("They differ only in capital letters.");
  expect(out).not.toContain(token.slice(0, 30));

  const colored = await doctor(["--token-file", file], { columns: 120 });
  const painted = (style: ["red" | "green", "strikethrough" | "underline"], text: string) =>
    styleText(style, text, { validateStream: false });
  expect(colored.out).toContain(painted(["red", "strikethrough"], "main"));
  expect(colored.out).toContain(painted(["green", "underline"], "Main"));
  expect(colored.out).not.toContain("[-main-]");
});

test("a text that is not a JWT is not compared", async () => {
  const { code, out } = await doctor(["--token-file", await fileWith("hello")]);
  expect(code).toBe(1);
  expect(out).toContain("✗ format      The token is not a JWT");
  expect(out).not.toContain("claim_match");
});

test("--json is the response of the API, and --identity and --all choose what is compared", async () => {
  const file = await fileWith(await issuer.sign({ sub: "other" }));
  for (const args of [[], ["--every-identity"]]) {
    const { code, out } = await doctor(["--token-file", file, "--json", ...args]);
    expect(code).toBe(1);
    expect(JSON.parse(out).identities[0].exchange).toBe("TOKEN_ACCEPTANCE_REFUSED");
  }
  const missing = await doctor(["--token-file", file, "--identity", "nobody"]);
  expect(missing.code).toBe(1);
  expect(missing.err).toContain("nobody");
});

test("claims end with 0 if they match, and say that the signature was not checked", async () => {
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: issuer.url, sub: subject, aud: platform, exp: now + 60 };
  const good = await doctor(["--claims", await fileWith(JSON.stringify(claims))]);
  expect({ code: good.code, err: good.err }).toEqual({ code: 0, err: "" });
  expect(good.out).toContain("? signature");
  const late = { ...claims, exp: now - 60 };
  expect((await doctor(["--claims", await fileWith(JSON.stringify(late))])).code).toBe(1);
});

test("without a token, only warnings are shown, and they end with 1", async () => {
  const { code, out } = await doctor([]);
  expect(code).toBe(1);
  expect(out).toContain("someone else can get the name");
  expect(out).toContain("Warnings about 1 of 1 identity.");
});

test("wrong input is a usage error that does not quote the input", async () => {
  const secret = "confidential-text";
  for (const args of [
    ["--token-file", await fileWith(`${secret} ${secret}`)],
    ["--token-file", await fileWith("")],
    ["--token-file", join(folder, "missing")],
    ["--claims", await fileWith(`{"a": ${secret}}`)],
    ["--claims", await fileWith(`["${secret}"]`)],
    ["--claims", "-", "--token-file", "-"],
    ["--limit", "0"],
    [secret],
  ]) {
    const { code, out, err } = await doctor(args);
    expect({ args, code, out }).toEqual({ args, code: 2, out: "" });
    if (args[0] !== secret) expect(err).not.toContain(secret);
  }
});
