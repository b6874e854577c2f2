/** From an organization to a pull without a secret, as docs/guides/push-and-pull.md shows it. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { commandsOf } from "../cli/command.ts";
import { type ForeignIssuer, startIssuer } from "../issuer/foreign_issuer.ts";
import { randomName } from "../world/personas.ts";
import { registryAudience } from "../world/platform.ts";
import { newTarget, pushImage } from "./client.ts";
import { getAsDocker } from "./docker_login.ts";

let ci: ForeignIssuer;
beforeAll(async () => {
  ci = await startIssuer();
});
afterAll(() => ci.close());

const guide = readFileSync("docs/guides/push-and-pull.md", "utf8");

test("an identity with a role and a login are all that a job needs to pull: two commands", async () => {
  const target = await newTarget();
  const image = await pushImage(target, "v1");
  const { organization } = target;
  const sub = randomName("repo:example/app");
  const platformctl = await commandsOf(organization);
  const ran: string[] = [];
  const run = async (...args: string[]) => {
    ran.push(`platformctl ${args.slice(0, 2).join(" ")}`);
    const { code, err } = await platformctl([...args, "--group", organization.uid]);
    expect([code, err.includes("Error")], err).toEqual([0, false]);
  };
  const match = ["--claim-match.issuer", ci.url, "--claim-match.subject", sub];
  await run("create", "identity", "app-ci", "--role", "registry.pull", ...match);
  const token = await ci.sign({ sub, aud: registryAudience });
  ran.push("docker login");
  expect(await getAsDocker("/v2/", "oidc", token)).toBe("{}");
  expect(await getAsDocker(`/v2/${target.name}/manifests/v1`, "oidc", token)).toBe(image.text);

  const [, block = ""] =
    /## Log in without a secret[\s\S]*?```shell\n([\s\S]*?)```/.exec(guide) ?? [];
  const shown = block
    .replaceAll("\\\n", "")
    .split("\n")
    .flatMap((line) => /(platformctl create \S+|docker login)/.exec(line)?.[1] ?? []);
  expect(shown).toEqual(ran);
  expect(ran).toHaveLength(2);
});
