/** The table of systems that sign tokens: the platform accepts its rows, and the guide shows them. */
import { execFileSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import {
  exampleValues,
  isFoundByToken,
  type TokenMatch,
  type WorkloadSystem,
} from "../../../schema/workloads/fields.ts";
import { guideSections } from "../../../schema/workloads/guide.ts";
import { workloadSystems } from "../../../schema/workloads/systems.ts";
import { diagnose } from "../../iam/token_diagnosis/diagnose.ts";
import { newOrganization, type Organization } from "../../world/personas.ts";
import { callRest } from "../../world/platform.ts";

const rows = workloadSystems.map((system) => [system.id, system] as const);
const matchOf = (system: WorkloadSystem) => system.match(exampleValues(system));

let organization: Organization;
beforeAll(async () => {
  organization = await newOrganization();
});

const claimMatchOf = ({ issuer, subject: { value, isPattern }, audience, claims }: TokenMatch) => ({
  issuer,
  [isPattern ? "subjectPattern" : "subject"]: value,
  ...(audience === undefined ? {} : { audience }),
  claims,
});

/** Subjects of tokens, as the documentation of each system has them, and those of strangers or of other runs. */
const tokens: Record<string, { ours: string[]; theirs: string[] }> = {
  github: {
    ours: ["repo:acme@1234/app@5678:ref:refs/heads/main"],
    theirs: [
      "repo:acme@1/app@5678:ref:refs/heads/main",
      "repo:acme/app:ref:refs/heads/main",
      "repo:acme@1234/app@5678:pull_request",
    ],
  },
  gitlab: {
    ours: ["project_path:acme/app:ref_type:branch:ref:main"],
    theirs: [
      "project_path:acme/app:ref_type:tag:ref:main",
      "project_path:acme/app2:ref_type:branch:ref:main",
    ],
  },
  buildkite: {
    ours: [
      "organization:acme:pipeline:app:ref:refs/heads/main:commit:9f3182061f1e2cca4702c368cbc039b7dc9d4485:step:image",
    ],
    theirs: [
      "organization:acme:pipeline:app:ref:refs/heads/main2:commit:9f31:step:image",
      "organization:acme-2:pipeline:app:ref:refs/heads/main:commit:9f31:step:image",
    ],
  },
  circleci: {
    ours: [
      "org/0189a6a5-0000-4000-8000-000000000002/project/0189a6a5-0000-4000-8000-000000000003/user/4",
      "org/0189a6a5-0000-4000-8000-000000000002/project/0189a6a5-0000-4000-8000-000000000003/user/4/vcs-origin/github.com/acme/app/vcs-ref/refs/heads/main",
    ],
    theirs: ["org/0189a6a5-0000-4000-8000-000000000002/project/5/user/4"],
  },
  jenkins: {
    ours: ["https://jenkins.example.com/job/app/job/main/"],
    theirs: [
      "https://jenkins.example.com/job/app/job/main2/",
      "https://jenkins.example.com/job/app/",
    ],
  },
  bitbucket: {
    ours: [
      "{0189a6a5-0000-4000-8000-000000000004}:{759de0c6-eaee-4eaa-b7a6-c507eec759a7}",
      "{0189a6a5-0000-4000-8000-000000000004}:{bd715740-c970-486b-b68a-b421ec2a1f8b}:{759de0c6-eaee-4eaa-b7a6-c507eec759a7}",
    ],
    theirs: ["{1189a6a5-0000-4000-8000-000000000004}:{759de0c6-eaee-4eaa-b7a6-c507eec759a7}"],
  },
  "aws-token": {
    ours: ["arn:aws:iam::123456789012:role/build-app"],
    theirs: ["arn:aws:iam::123456789012:role/build-app2"],
  },
  google: { ours: ["117000000000000000001"], theirs: ["117000000000000000002"] },
  azure: {
    ours: ["0189a6a5-0000-4000-8000-000000000007"],
    theirs: ["0189a6a5-0000-4000-8000-000000000008"],
  },
};

describe("the platform accepts an identity by the row of", () => {
  test.each(rows)("%s, and warns of nothing about it", async (id, system) => {
    const { token } = organization.owner;
    const body = { name: id, claimMatch: claimMatchOf(matchOf(system)) };
    const created = await callRest(`/iam/v2/identities/${organization.uid}`, { token, body });
    expect([created.status, created.body.message]).toEqual([200, undefined]);
    const doctor = await diagnose(organization, { identityUid: created.body.uid });
    expect([doctor.status, doctor.body.identities?.length]).toEqual([200, 1]);
    expect(doctor.body.identities[0].warnings ?? []).toEqual([]);
  });
});

describe("the subject by the row of", () => {
  test.each(rows)("%s is that of its own jobs, and of no others", (id, system) => {
    const { value, isPattern } = matchOf(system).subject;
    const isAccepted = (subject: string) =>
      isPattern ? new RegExp(`^(?:${value})$`).test(subject) : subject === value;
    const { ours = [], theirs = [] } = tokens[id] ?? {};
    expect(ours.map(isAccepted)).toEqual(ours.map(() => true));
    expect(ours.length * theirs.length).toBeGreaterThan(0);
    expect(theirs.map(isAccepted)).toEqual(theirs.map(() => false));
  });
});

/** The commands of a job that begin with these words, in their order. */
const stepsOf = (text: string) =>
  [...text.matchAll(/docker (build|login|push|pull)\b/g)].map(([, verb]) => verb);

describe("the job of", () => {
  test.each(rows)("%s builds, logs in with its own token, pushes and pulls", (_, system) => {
    const { text } = system.job;
    expect(stepsOf(text)).toEqual(["build", "login", "push", "pull"]);
    const [, user = "", host] =
      /docker login -u (\S+) --password-stdin "\$+(\w+)"/.exec(text) ?? [];
    expect(host).toBe("REGISTRY");
    const isByToken = isFoundByToken(matchOf(system));
    expect(user.replaceAll(/[$"]/g, "")).toBe(isByToken ? "oidc" : "PLATFORM_IDENTITY");
    expect(text.includes("PLATFORM_IDENTITY")).toBe(!isByToken);
  });

  test.each(rows.filter(([, { job }]) => job.language === "yaml"))("%s is YAML", (_, { job }) => {
    expect(Object.keys(parse(job.text)).length).toBeGreaterThan(0);
    expect(job.text).not.toContain("\t");
  });

  test.each(rows)("%s has commands that a shell can read", (_, { job }) => {
    for (const script of scriptsOf(job.language === "yaml" ? parse(job.text) : job.text))
      execFileSync("bash", ["-n"], { input: script });
  });
});

/** The texts of a file that a shell runs. Those of Jenkins are arguments of `sh`. */
function scriptsOf(value: unknown): string[] {
  if (typeof value === "string") {
    const inGroovy = [...value.matchAll(/\bsh '([^']+)'/g)].map(([, script = ""]) => script);
    return inGroovy.length > 0 ? inGroovy : value.includes("docker ") ? [value] : [];
  }
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(scriptsOf) : [];
}

test("the guide shows the table, without a difference", async () => {
  const file = fileURLToPath(new URL("../../../docs/guides/ci.md", import.meta.url));
  const text = await readFile(file, "utf8");
  const [start, end] = [text.search(/^(?:TABLE|\| System )/m), text.indexOf("## Details")];
  const updated = `${text.slice(0, start)}${guideSections(workloadSystems)}\n${text.slice(end)}`;
  if (process.env.UPDATE_GOLDEN) await writeFile(file, updated);
  else expect(text).toBe(updated);
});

test("the action of the examples logs in as the job of GitHub does", async () => {
  const file = new URL("../../../examples/login-action/action.yml", import.meta.url);
  const action = parse(await readFile(file, "utf8"));
  const github = workloadSystems.find(({ id }) => id === "github");
  const login = parse(github?.job.text ?? "").jobs.image.steps.find(
    ({ name }: { name?: string }) => name === "Log in",
  );
  const step = action.runs.steps.at(-1);
  expect(step.run.replace('"$PLATFORM_USER"', "oidc").replace("$AUDIENCE", "$REGISTRY")).toBe(
    login.run,
  );
});
