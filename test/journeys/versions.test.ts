/** Runs the examples of docs/VERSIONS.md as they are printed there, and checks its table of calls. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { rpcOf, rpcs, unimplementedRpcs } from "../contract/rpcs.ts";
import { createResource, fakeDigest, newOrganization, roleUid } from "../world/personas.ts";
import { baseUrl, sql } from "../world/platform.ts";

const page = readFileSync(new URL("../../docs/VERSIONS.md", import.meta.url), "utf8");
const block = /```bash\n([\s\S]*?)```\n+```(json|text)\n([\s\S]*?)```/g;
/** The name of the example, its command, and the printed response: JSON, or text. */
const examples = [...page.matchAll(block)].map(
  ([, command = "", form, answer = ""], index): [string, string, unknown] => [
    `${index + 1}: ${command.trim().slice(0, 70)}`,
    command,
    form === "json" ? JSON.parse(answer) : answer,
  ],
);

let variables: Record<string, string>;
beforeAll(async () => {
  const { uid, owner } = await newOrganization("migrating");
  const { token } = owner;
  const repo = await createResource(`/registry/v2/repos/${uid}`, token, {
    name: "nginx",
    description: "a web server",
  });
  // Writing a readme is for the operator's staff.
  await sql("update repos set readme = '# nginx' where uid = ?", repo.uid);
  const digest = fakeDigest("nginx");
  const tag = await createResource(`/registry/v2/tags/${repo.uid}`, token, {
    name: "latest",
    digest,
  });
  const old = { name: "1.2-20260101", digest, deprecated: true };
  await createResource(`/registry/v2/tags/${repo.uid}`, token, old);
  const role = await createResource(`/iam/v2/roles/${uid}`, token, {
    name: "puller",
    description: "pulls",
    capabilities: ["CAP_REPO_LIST", "CAP_TAG_LIST"],
  });
  const bot = await createResource(`/iam/v2/identities/${uid}`, token, { name: "bot" });
  const robot = await createResource(`/iam/v2/identities/${uid}`, token, { name: "robot" });
  variables = { API: baseUrl(), TOKEN: token, ORG: uid, REPO: repo.uid, TAG: tag.uid };
  Object.assign(variables, {
    ROLE: role.uid,
    BOT: bot.uid,
    ROBOT: robot.uid,
    VIEWER: await roleUid("viewer"),
  });
});

/** The printed response as a pattern. `"…"` matches any existing value. */
function pattern(printed: unknown): unknown {
  if (printed === "…") return expect.anything();
  if (Array.isArray(printed)) return printed.map(pattern);
  if (typeof printed !== "object" || printed === null) return printed;
  return Object.fromEntries(Object.entries(printed).map(([key, value]) => [key, pattern(value)]));
}

test("the page has examples of both versions, and each command has a response", () => {
  expect(examples.length).toBe(page.match(/```bash/g)?.length);
  for (const version of ["v1", "v2"]) {
    const of = examples.filter(([, command]) => command.includes(`/${version}/`));
    expect(of.length).toBeGreaterThan(8);
  }
});

describe("the responses have the printed members", () => {
  // They build on each other, as they do on the page.
  test.each(examples)("%s", async (_, command, printed) => {
    const { stdout } = await promisify(execFile)("bash", ["-euo", "pipefail", "-c", command], {
      env: { ...process.env, ...variables },
    });
    if (typeof printed === "string") expect(stdout.trim()).toBe(printed.trim());
    else expect(JSON.parse(stdout)).toEqual(pattern(printed));
  });
});

describe("the table of calls", () => {
  const names = new Set(rpcs.map((rpc) => rpc.name));
  const rows = [...page.matchAll(/^\| `([\w.]+\/\w+)` \| (.*) \|$/gm)].map(
    ([, v1 = "", v2 = ""]): [string, string[]] => [
      v1,
      [...v2.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name),
    ],
  );

  test.each(rows)("%s and its replacement are served", (v1, v2) => {
    expect(names).toContain(v1);
    for (const name of v2) expect(names).toContain(name);
  });

  const pairs = rows.flatMap(([v1, v2]) => v2.map((name): [string, string] => [v1, name]));

  test.each(pairs)("%s requires the capabilities of %s and writes its event", (v1, v2) => {
    const outputOf = (name: string) => {
      const { capabilities, event, open } = rpcOf(name);
      return { capabilities: capabilities.toSorted(), type: event?.type, open };
    };
    if (differing.includes(`${v1} ${v2}`)) expect(outputOf(v1)).not.toEqual(outputOf(v2));
    else expect(outputOf(v1)).toEqual(outputOf(v2));
  });

  test("it has every known pair of different names", () => {
    expect(pairs.map((pair) => pair.join(" "))).toEqual(expect.arrayContaining(differing));
  });

  test("it names every RPC of version 1, together with the section about those that stay", () => {
    const onlyV1 = rpcs.filter(({ isV1, name }) => isV1 && !rows.some(([v1]) => v1 === name));
    const [, section = ""] = page.split("## Methods that stay in version 1");
    const [text = ""] = section.split("\n## ");
    const staying = [...text.matchAll(/`([\w.]+\.\w+\/\w+)`/g)].map(([, name]) => name);
    expect(staying.sort()).toEqual(onlyV1.map(({ name }) => name).sort());
  });

  test("none of them is left out", () => {
    const left = new Set(unimplementedRpcs.map(({ name }) => name));
    expect(rows.filter(([v1]) => left.has(v1))).toEqual([]);
  });
});

/** Pairs for which version 2 requires another capability, or has another event. */
const differing = [
  "iam.Groups/RequestGroupAccess GroupsService/RequestGroupAccess",
  "registry.Registry/CreateRepo ReposService/UpdateRepoReadme",
  "registry.Registry/UpdateRepo ReposService/UpdateRepoReadme",
  "registry.Registry/UpdateTag TagsService/CreateTag",
];
