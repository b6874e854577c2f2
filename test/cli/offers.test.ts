import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Command } from "commander";
import { expect, test } from "vitest";
import { newProgram } from "../../cli/commands/program.ts";
import { greeting } from "../../cli/local/greeting.ts";
import { newTarget, pullImage, pushImage } from "../distribution/client.ts";
import { newOrganization } from "../world/personas.ts";
import { root, stateOf } from "./command.ts";

/** Whether an image that was pushed can be pulled again. */
async function canPull(): Promise<boolean> {
  const target = await newTarget();
  const image = await pushImage(target, "latest");
  return (await pullImage(target, image.digest)).text === image.text;
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

test("docker pull is suggested if and only if the registry serves images", async () => {
  const offered = (await offers()).filter((text) => /docker (pull|run)|FROM \$\(/.test(text));
  expect(offered.length > 0).toBe(await canPull());
});
