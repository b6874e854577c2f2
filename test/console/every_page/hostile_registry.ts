/** Repositories, images and advisories whose every text is as bad as the platform accepts it. */
import { setTimeout } from "node:timers/promises";
import { matchOf } from "../../registry/vuln_reports/grype_reports.ts";
import { createResource, fakeDigest, roleUid } from "../../world/personas.ts";
import { callRest, sql, tokenFor } from "../../world/platform.ts";
import { hostileText, hostileTexts } from "../hostile_texts.ts";
import {
  attach,
  importOsv,
  newPushedRepo,
  type PushedRepo,
  pushImage,
  pushIndex,
  storeReport,
  storeSbom,
} from "../scanned_images.ts";
import { claims, description, type HostileOrganization } from "./hostile_organization.ts";

/** The longest name of a repository. */
export const repoName = `${"a".repeat(120)}/${"b".repeat(134)}`;
/** The longest name of a tag. */
export const tagName = "T".repeat(128);
/** A vulnerability id of printable characters, as an OSV record can have it. */
export const vulnerability = `CVE-2026-1';$(id)&|<img/src=x>%41${"w".repeat(90)}`;

/** The uids and names of the resources that have pages. */
export interface HostileRegistry {
  /** A repository with settings, a readme and tags. */
  repo: string;
  tag: string;
  /** A name in the history of the repository that no tag has. */
  oldTag: string;
  /** The uid of an expiry plan of the repository. */
  plan: string;
  /** The uid of a repository with images, and two of them. */
  images: string;
  index: string;
  image: string;
}

export async function newHostileRegistry(world: HostileOrganization): Promise<HostileRegistry> {
  const repo = await newRepo(world);
  const { tag, oldTag } = await newTags(world, repo);
  const plan = await newPlan(world, repo);
  const pushed = await newPushedRepo(world.organization, "b".repeat(200));
  const image = await newImage(pushed);
  const index = await pushIndex(pushed, { amd64: image, [hostileText(64)]: image }, tagName);
  await pullWith(world, pushed);
  await newAdvisories(world);
  return {
    ...{ repo, tag, oldTag, plan, images: pushed.uid, index: index.digest, image: image.digest },
  };
}

const readme = `# \u202Egnp.exe ${"w".repeat(1_000)}

[link](https://example.com/${"w".repeat(1_000)}) <a href="https://example.com">\u202E<b>b</b></a> ${"w".repeat(10_000)}

| ${"w".repeat(500)} | b |
|---|---|
| ${"w".repeat(2_000)} | \u202E |

\`\`\`sh
${"w".repeat(1_000)}
\`\`\`
`;

/** The longest texts that a tag rule can have. It matches no tag. */
const rule = {
  ...{ name: "w".repeat(255), description: hostileText(512), includeTags: ["w".repeat(128)] },
  keep: { requirement: { label: { name: hostileText(255), value: hostileText(1_024) } } },
};

async function newRepo({
  organization: { uid, owner },
  group,
}: HostileOrganization): Promise<string> {
  const { token } = owner;
  const made = await createResource(`/registry/v1/repos/${uid}`, token, { name: repoName, readme });
  const repo = String(made.id);
  const settings = {
    ...{ description, aliases: [`${"w".repeat(1_000)}:w`], activeTags: [tagName] },
    customOverlay: {
      contents: { packages: [hostileText(255)], runtimeRepositories: [hostileText(1_024)] },
      environment: { [hostileText(255)]: hostileText(4_096) },
      annotations: { [hostileText(255)]: hostileText(4_096) },
      accounts: { runAs: hostileText(255) },
    },
  };
  const path = `/registry/v2/repos/${repo}?updateMask=${Object.keys(settings).join()}`;
  const changed = await callRest(path, { method: "PATCH", token, body: settings });
  if (changed.status !== 200) throw new Error(JSON.stringify(changed.body));
  await createResource(`/registry/v2/tagRules/${repo}`, token, rule);
  await createResource(`/registry/v2/tagRules/${group}`, token, rule);
  return repo;
}

/** A tag at the end of its life, and moves that another program has stored. */
async function newTags({ create }: HostileOrganization, repo: string) {
  const tag = { name: tagName, digest: fakeDigest("a"), deprecated: true };
  const { uid } = await create(`/registry/v2/tags/${repo}`, tag);
  await create(`/registry/v2/tags/${repo}`, { name: "1.0.0", digest: fakeDigest("a") });
  await create(`/registry/v2/tags/${repo}`, { name: "1.0.0", digest: fakeDigest("b") });
  const oldTag = hostileText(10_000);
  await sql(
    `insert into tag_moves (repo_uid, repo, tag, update_time, digest, identity, identity_name, method)
      values (?, ?, ?, ?, ?, '', ?, 1)`,
    ...[repo, oldTag, oldTag, Date.now() - 1_000, fakeDigest("b"), oldTag],
  );
  return { tag: uid, oldTag };
}

/** A plan with the longest texts that one can have. It contains the tag with the longest name. */
async function newPlan({ create }: HostileOrganization, repo: string): Promise<string> {
  const expire = { beyondNewest: { count: 1, order: "NEWEST_ORDER_TIME" }, approval: true };
  await create(`/registry/v2/tagRules/${repo}`, { name: "x".repeat(255), expire });
  const plan = { description: hostileText(512) };
  return (await create(`/registry/v2/expiryPlans/${repo}`, plan)).uid;
}

/** An image with a hostile configuration, SBOM, scan report and attachment. */
async function newImage(repo: PushedRepo) {
  const [markup, , , long] = hostileTexts;
  const texts = [...hostileTexts, hostileText(5_000)];
  const labels = Object.fromEntries(texts.map((text, at) => [`${at}${text}`, text]));
  const image = await pushImage(repo, {
    settings: {
      ...{ User: hostileText(500), WorkingDir: long, Entrypoint: texts, Cmd: texts },
      ...{ Labels: labels, Env: texts.map((text, at) => `NAME${at}${text}=${text}`) },
    },
    lines: texts,
  });
  await attach(repo, image, "application/vnd.example.note", { by: markup });
  const components = texts.map((text, at) => ({
    ...{ type: "library", name: text, version: text.slice(0, 500) },
    licenses: [{ license: { name: text } }],
    ...(at === 0 ? { name: "hostile" } : {}),
  }));
  await storeSbom(repo, image.digest, components);
  const matches = texts.map((text, at) =>
    matchOf(at === 0 ? vulnerability : `CVE-2026-100${at}`, "High", {
      artifact: { name: text.slice(0, 5_000), version: text.slice(0, 500) },
      fix: { versions: [text.slice(0, 500)], state: "fixed" },
    }),
  );
  await storeReport(repo, image.digest, matches);
  return image;
}

/** Pulls by the bot, with a User-Agent of markup. The last pulls of a tag appear a moment later. */
async function pullWith({ organization, bot, create }: HostileOrganization, repo: PushedRepo) {
  const { uid } = organization;
  const binding = { identityUid: bot, roleUid: await roleUid("registry.pull") };
  await create(`/iam/v2/roleBindings/${uid}`, binding);
  await create(`/registry/v2/tags/${repo.uid}`, {
    ...{ name: "1.0.0", digest: fakeDigest("c"), deprecated: true },
  });
  const token = await tokenFor(bot, { ...claims, aud: "localhost:8787" });
  for (const reference of [tagName, "1.0.0"])
    await callRest(`/v2/${repo.name}/manifests/${reference}`, {
      ...{ token, headers: { "user-agent": hostileTexts[0] } },
    });
  const recorded = () => sql("select 1 from tag_pulls where identity = ?", bot);
  while ((await recorded()).length === 0) await setTimeout(50);
}

/** Advisories of each format that names the vulnerability. */
async function newAdvisories({ organization }: HostileOrganization): Promise<void> {
  const texts = [...hostileTexts, hostileText(5_000)];
  const records = texts.map((text, at) => ({
    ...{ id: `EX-${at};$(id)<b>${"w".repeat(200)}`, aliases: [vulnerability, "CVE-2026-1001"] },
    ...{ modified: "2026-01-01T00:00:00Z", summary: hostileText(1_000) },
    details: `${text} ${hostileTexts[3]}`,
    references: [
      { type: "WEB", url: "javascript:alert(1)" },
      { type: "WEB", url: `https://example.com/${"w".repeat(1_500)}` },
    ],
    affected: [
      {
        package: { ecosystem: hostileText(100), name: text.slice(0, 255) },
        ranges: [{ type: "ECOSYSTEM", events: [{ introduced: "0" }, { fixed: hostileText(255) }] }],
      },
    ],
    database_specific: { author: hostileText(255) },
  }));
  await importOsv(organization, records);
}
