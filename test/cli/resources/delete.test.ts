import { spawn } from "node:child_process";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { createResource, newOrganization, type Organization } from "../../world/personas.ts";
import { callRest } from "../../world/platform.ts";
import { newStateFolder, platformctl, root } from "../command.ts";

let organization: Organization;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  organization = await newOrganization();
  env = { PLATFORM_STATE: await newStateFolder(organization), NO_COLOR: "1" };
});

const newRepo = async (name: string) =>
  (
    await createResource(`/registry/v2/repos/${organization.uid}`, organization.owner.token, {
      name,
    })
  ).uid;

const isThere = async (uid: string) => {
  const { token } = organization.owner;
  return (await callRest(`/registry/v2/repos/${uid}`, { token })).status === 200;
};

/** platformctl on a terminal from script(1) of util-linux. */
async function onTerminal(args: string): Promise<{ code: number | null; out: string }> {
  const program = `'${process.execPath}' '${join(root, "cli/platformctl.js")}' ${args}`;
  const child = spawn("script", ["-qec", `stty cols 100; ${program}`, "/dev/null"], {
    env: { PATH: process.env.PATH, XDG_CONFIG_HOME: "/nowhere", ...env },
  });
  let out = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text;
  });
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { code, out };
}

test("without a terminal nothing is deleted, except with --yes", async () => {
  const uid = await newRepo("kept");
  const refused = await platformctl(["delete", "repo", "kept"], { env });
  expect(refused).toMatchObject({ code: 2, out: "" });
  expect(refused.err).toMatch(/add --yes/);
  expect(await isThere(uid)).toBe(true);
  const done = await platformctl(["delete", "repo", "kept", "--yes"], { env });
  expect(done).toEqual({ code: 0, out: `Deleted repo kept (${uid})\n`, err: "" });
  expect(await isThere(uid)).toBe(false);
});

test("a person sees the plan and is asked, and only yes counts", async () => {
  const uid = await newRepo("asked");
  const answered = (input: string) =>
    platformctl(["delete", "repo", "asked"], { env, input, columns: 100, hasPerson: true });
  const no = await answered("\n");
  expect(no.code).toBe(1);
  expect(no.err).toContain(`repo asked (${uid}), updated`);
  expect(no.err).toContain("Nothing was deleted.");
  expect(await isThere(uid)).toBe(true);
  expect((await answered("y\n")).code).toBe(0);
  expect(await isThere(uid)).toBe(false);
});

test("on a terminal lists are tables, with a line about hidden rows", async () => {
  await Promise.all(["one", "two"].map(newRepo));
  const { code, out } = await onTerminal("list repos --limit 1");
  const shown = out.replaceAll("\r", "");
  expect({ code, shown: code === 0 ? "" : shown }).toEqual({ code: 0, shown: "" });
  expect(shown).toMatch(
    /^NAME {2}UPDATED {2,}UID\none {3}.*( ago|just now) .*\nShowing 1 of 2 repos\. To show all, add --all\.\n$/,
  );
});
