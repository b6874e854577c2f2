/** `platformctl import registry`: copies the images of a project of another registry. */
import type { Command } from "commander";
import { type Client, openClient } from "../account/client.ts";
import { exitCodes, usageFailure } from "../failure.ts";
import { mebibyte } from "../images/chunks.ts";
import { openOtherRegistry } from "../images/other_registry.ts";
import { openSession, requireAccount } from "../images/session.ts";
import { showWaiting } from "../import/progress.ts";
import { copyTag, listRepositories, listTags, type TagOutcome } from "../import/registry.ts";
import { withoutControls } from "../resources/cells.ts";
import { optionNamed } from "../resources/options.ts";
import { platformOf } from "../resources/platform.ts";
import { requireGroup } from "../resources/where.ts";
import { here, print } from "../surroundings.ts";
import { addJsonOption, countText, type JsonOption, printAnswer } from "./answer.ts";
import { chunkSizeOption } from "./chunk_size.ts";

type Options = JsonOption & { group?: string; dryRun?: boolean; chunkSize: number };

const described = `Copy the images of a project of another registry, with all tags, signatures and SBOMs.

The registry must have the API of the OCI. Log in to it with docker or podman first.
A registry without a catalog, such as most rented ones, lists no repositories. Then name
each repository: HOST/PROJECT/REPOSITORY.

Digests stay the same, and each is compared. If the command stops, run it again: it copies
what is missing. Folders in the name of a repository become groups.`;

/** Adds `registry` to `import`. */
export function addRegistryImport(load: Command): void {
  addJsonOption(
    load
      .command("registry")
      .summary("Copy the images of a project of another registry.")
      .description(described)
      .argument("<project>", "Host of the registry, and the project: HOST/PROJECT.")
      .addOption(optionNamed("group"))
      .addOption(optionNamed("dryRun"))
      .addOption(chunkSizeOption()),
    "platformctl import registry registry.example.com/shop --group acme.example --dry-run",
    "platformctl import registry registry.example.com/shop --group acme.example",
  ).action(loadRegistry);
}

async function loadRegistry(project: string, options: Options): Promise<void> {
  const [host = "", ...path] = project.replace(/^https?:\/\//, "").split("/");
  const prefix = path.filter((part) => part !== "").join("/");
  const target = await openSession();
  const account = requireAccount(target);
  const client = openClient(account);
  const platform = platformOf(client, account);
  const group = await requireGroup(platform, options.group);
  const namespace = await namespaceOf(client, group);
  const source = await openOtherRegistry(host);
  const failed = (thrown: unknown) => {
    throw source.failure(thrown, prefix);
  };
  const listing = listRepositories(source, prefix);
  const repositories = await showWaiting(`reading ${project}`, listing.catch(failed));
  if (repositories.length === 0) throw noRepository(host, prefix);
  const outcomes: TagOutcome[] = [];
  for (const from of repositories) {
    const name = nameIn(prefix, from);
    const tags = await listTags(source, from).catch(failed);
    if (!options.dryRun) await createGroups(client, group, name);
    for (const tag of tags) {
      const copy = { from, to: `${namespace}/${name}`, tag };
      const outcome: TagOutcome = options.dryRun
        ? { ...copy, result: "planned" }
        : await copyTag(source, target, copy, options.chunkSize * mebibyte);
      outcomes.push(outcome);
      if (!options.json) print(lineOf(outcome, host));
    }
  }
  finish(options, { host, repositories, outcomes });
}

const noRepository = (host: string, prefix: string) =>
  usageFailure(
    `${host} lists no repository${prefix === "" ? "" : ` ${prefix} or below it`}. Is the name right, and are you logged in to ${host}?`,
  );

/** Repositories below the project keep the rest of their name, and the project itself its last part. */
const nameIn = (prefix: string, from: string): string =>
  from === prefix || prefix === ""
    ? (from.split("/").at(-1) ?? from)
    : from.slice(prefix.length + 1);

/** The name of a group in the names of images: the verified name of its organization, or its uid, and the groups below. */
async function namespaceOf(client: Client, group: string): Promise<string> {
  const [root = "", ...steps] = group.split("/");
  const organization = await client.groups.get(root);
  const names = [organization.verified && organization.name ? organization.name : root];
  let uid = root;
  for (const step of steps) {
    uid = `${uid}/${step}`;
    names.push((await client.groups.get(uid)).name ?? step);
  }
  return names.join("/");
}

/** Creates the groups in the name of a repository that do not exist. */
async function createGroups(client: Client, group: string, name: string): Promise<void> {
  let parent = group;
  for (const step of name.split("/").slice(0, -1)) {
    const [found] = await client.groups.list({ childrenOf: parent, name: step }).all();
    const { uid } = found ?? (await client.groups.create(parent, { name: step }));
    if (uid === undefined) throw usageFailure(`The group ${step} has no uid.`);
    parent = uid;
  }
}

function lineOf(
  { result, from, to, tag, digest, reason, referrers = 0 }: TagOutcome,
  host: string,
) {
  const source = `${host}/${from}:${tag}`;
  if (result === "planned") return `would copy ${source} to ${to}:${tag}`;
  if (result === "failed") return `failed ${source}: ${withoutControls(reason ?? "")}`;
  const others = referrers > 0 ? ` and ${countText(referrers, "referrer")}` : "";
  return `${result} ${source} ${result === "copied" ? "to" : "at"} ${to}:${tag}${others} ${digest}`;
}

function finish(
  options: Options,
  {
    host,
    repositories,
    outcomes,
  }: { host: string; repositories: string[]; outcomes: TagOutcome[] },
): void {
  const count = (result: TagOutcome["result"]) =>
    outcomes.filter((outcome) => outcome.result === result).length;
  const failed = count("failed");
  const parts = options.dryRun
    ? [`${countText(count("planned"), "tag")} to copy`]
    : [`${countText(count("copied"), "tag")} copied`, `${count("unchanged")} unchanged`];
  if (failed > 0) parts.push(`${failed} failed`);
  const text = `${countText(repositories.length, "repository")} of ${host}: ${parts.join(", ")}`;
  printAnswer(
    options,
    { host, repositories, tags: outcomes, isDryRun: options.dryRun ?? false },
    text,
  );
  if (failed > 0) here().exitCode = exitCodes.refused;
}
