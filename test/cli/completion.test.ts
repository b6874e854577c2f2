import { beforeAll, expect, test } from "vitest";
import { digestOf, make, newOrganization, type Organization } from "../world/personas.ts";
import { newStateFolder, platformctl } from "./command.ts";

let organization: Organization;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  organization = await newOrganization();
  const { token } = organization.owner;
  const python = await make(`/registry/v2/repos/${organization.uid}`, token, {
    name: "python",
    description: "As we build it",
  });
  await make(`/registry/v2/repos/${organization.uid}`, token, { name: "nginx" });
  await make(`/registry/v2/tags/${python.uid}`, token, { name: "3.12", digest: digestOf("x") });
  env = { PLATFORM_STATE: await newStateFolder(organization) };
});

/** What is offered for words of which the last is not finished. */
async function offered(words: string[], setting = env): Promise<string[]> {
  const { code, out, err } = await platformctl(["complete", "--", ...words], { env: setting });
  expect({ code, err }).toEqual({ code: 0, err: "" });
  const lines = out.trimEnd().split("\n");
  expect(lines.pop()).toMatch(/^:\d+$/);
  return lines.map((line) => line.split("\t")[0] ?? "");
}

test.each([
  [["desc"], ["describe"]],
  [
    ["get", "rep"],
    ["repo-readme", "repo"],
  ],
  [["list", "role-b"], ["role-bindings"]],
  [["list", "repos", "--grou"], ["--group"]],
  [
    ["create", "repo", "x", "--catalog-tier", "a"],
    ["application", "ai"],
  ],
  [
    ["create", "role", "x", "--capabilities", "tag."],
    ["tag.create", "tag.update", "tag.list", "tag.delete"],
  ],
  [
    ["get", "repo", ""],
    ["nginx", "python"],
  ],
  [["describe", "repos", "py"], ["python"]],
  [["get", "tag", "python:"], ["python:3.12"]],
  [["get", "tag", "--repo", "python", ""], ["3.12"]],
  [["create", "role-binding", "--role", "view"], ["viewer"]],
  [["get", "repo", "python", "--output", "j"], ["json"]],
  [["nonsense", ""], []],
] as [string[], string[]][])("%j is completed by %j", async (words, wanted) => {
  expect(await offered(words)).toEqual(wanted);
});

test("where nobody answers or nobody is logged in, nothing is offered and nothing is said", async () => {
  const nowhere = { PLATFORM_STATE: "/nowhere", PLATFORM_URL: "http://localhost:1" };
  expect(await offered(["get", "repo", ""], nowhere)).toEqual([]);
});

test.each(["bash", "zsh", "fish", "powershell"])(
  "%s gets a script that asks this program",
  async (shell) => {
    const { code, out, err } = await platformctl(["completion", shell]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toMatch(/platformctl complete .?--/);
  },
);
