import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Command } from "commander";
import { expect, test } from "vitest";
import { newProgram } from "../../cli/commands/program.ts";
import { greeting } from "../../cli/local/greeting.ts";
import { createResource, newOrganization } from "../world/personas.ts";
import { baseUrl, registryAudience } from "../world/platform.ts";
import { newStateFolder, platformctl, root, stateOf } from "./command.ts";

/** The first request of a program that pulls: the manifest of a tag, as the owner of its repository. */
async function canPull(): Promise<boolean> {
  const organization = await newOrganization();
  const { uid, owner } = organization;
  const repo = await createResource(`/registry/v2/repos/${uid}`, owner.token, { name: "python" });
  const content = { mediaType: "application/vnd.oci.image.index.v1+json", manifests: [] };
  const bytes = Buffer.from(JSON.stringify({ schemaVersion: 2, ...content }));
  await createResource(`/registry/v2/manifests/${repo.uid}`, owner.token, {
    mediaType: content.mediaType,
    content: bytes.toString("base64"),
  });
  const digest = `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
  const env = { PLATFORM_STATE: await newStateFolder(organization) };
  const { out } = await platformctl(["auth", "token", "--audience", registryAudience], { env });
  const path = `/v2/${uid}/python/manifests/${digest}`;
  const headers = { authorization: `Bearer ${out.trim()}` };
  const answer = await fetch(`${baseUrl()}${path}`, { headers });
  if (answer.status === 200) return true;
  // Neither who asks nor what is asked for is in the way.
  expect((await answer.json()).errors).toMatchObject([{ code: "UNSUPPORTED" }]);
  return false;
}

/** All texts that a newcomer reads first: the help of every command, the greeting, the first page. */
async function offers(): Promise<string[]> {
  const texts: string[] = [];
  const read = (command: Command) => {
    command.configureOutput({ writeOut: (text) => void texts.push(text) }).outputHelp();
    for (const inner of command.commands) read(inner);
  };
  read(newProgram(false));
  const organization = await newOrganization();
  texts.push(greeting("/nowhere", stateOf(organization).platform));
  texts.push(await readFile(join(root, "README.md"), "utf8"));
  return texts;
}

test("docker pull is suggested only if the registry serves manifests", async () => {
  const offered = (await offers()).filter((text) => /docker (pull|run)|FROM \$\(/.test(text));
  expect(offered.length > 0).toBe(await canPull());
});
